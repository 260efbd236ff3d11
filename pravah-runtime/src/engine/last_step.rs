//! What the last step was.

use serde::{Deserialize, Serialize};

use super::state::path::NodePath;
use crate::graph::Table;

/// What kind of step it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StepKind {
    /// A node's body ran.
    Node,
    /// A gate asked its question, and the run waits for the answer.
    Question,
    /// An agent asked its model.
    ModelCall,
    /// The model of an agent could not answer, and is asked again later.
    Wait,
    /// A node called agents and flows, started detached tasks, or waits for one.
    Calls,
    /// A runner was called for a remote agent: to start its task, to get its next update, or to answer a question.
    Remote,
    /// An agent ran the tools that its model asked for.
    ToolCalls,
    /// A person's review let the answer of an agent go on.
    Review,
    /// No message came for a multi-turn agent, or it was closed, and its last answer went on.
    LastTurn,
    /// A node failed, and a `catch` took its failure.
    Failure,
    /// A node failed, and is tried again, or left until everything else has gone on.
    FailedAttempt,
}

/// What the last step was; see [`FlowRuntime::last_step`](crate::FlowRuntime::last_step).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepInfo {
    /// Which step of the run it was, from 1.
    pub step: u64,
    /// The node that it was of.
    pub node: String,
    /// The indices of the items of the enclosing `each`, outermost first.
    pub items: Vec<usize>,
    /// What kind of step it was.
    pub kind: StepKind,
    /// The states it returned, by their names.
    pub outputs: Vec<String>,
    /// Whether the step may be made again at no cost: its node is [pure](crate::Policy::is_pure).
    pub is_pure: bool,
}

impl StepInfo {
    /// Step number `step`, from 1, of `node`; no items or outputs until set.
    ///
    /// ```
    /// use pravah_runtime::{StepInfo, StepKind};
    ///
    /// let step = StepInfo::new(2, "triage", StepKind::ModelCall).with_outputs(["Verdict"]);
    /// assert_eq!(step.to_string(), "2. triage (model) -> Verdict");
    /// ```
    pub fn new(step: u64, node: impl Into<String>, kind: StepKind) -> Self {
        Self {
            step,
            node: node.into(),
            items: Vec::new(),
            kind,
            outputs: Vec::new(),
            is_pure: false,
        }
    }

    /// The same in these items of the lists around the node, outermost first.
    #[must_use]
    pub fn with_items(mut self, items: impl IntoIterator<Item = usize>) -> Self {
        self.items = items.into_iter().collect();
        self
    }

    /// The same with the names of the states that it returned.
    #[must_use]
    pub fn with_outputs<S: Into<String>>(mut self, outputs: impl IntoIterator<Item = S>) -> Self {
        self.outputs = outputs.into_iter().map(Into::into).collect();
        self
    }
}

impl std::fmt::Display for StepInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}. {}", self.step, self.node)?;
        for item in &self.items {
            write!(f, "[{item}]")?;
        }
        match self.kind {
            StepKind::Node => {}
            StepKind::Question => f.write_str(" (asks)")?,
            StepKind::ModelCall => f.write_str(" (model)")?,
            StepKind::Wait => f.write_str(" (waits)")?,
            StepKind::Calls => f.write_str(" (calls)")?,
            StepKind::Remote => f.write_str(" (runner)")?,
            StepKind::ToolCalls => f.write_str(" (tools)")?,
            StepKind::Review => f.write_str(" (reviewed)")?,
            StepKind::LastTurn => f.write_str(" (no message)")?,
            StepKind::Failure => f.write_str(" (failed)")?,
            StepKind::FailedAttempt => f.write_str(" (attempt failed)")?,
        }
        if !self.outputs.is_empty() {
            write!(f, " -> {}", self.outputs.join(", "))?;
        }
        Ok(())
    }
}

/// The same by index: it is made at every step, and named when somebody asks.
#[derive(Clone, Debug)]
pub(super) struct LastStep {
    pub(super) path: NodePath,
    pub(super) kind: StepKind,
    pub(super) outputs: Outputs,
    /// Which attempt at the node it was, from 1, if somebody observes the run.
    pub(super) attempt: u32,
}

impl LastStep {
    /// The same by names: step number `step` of a run of the flow with this table.
    pub(super) fn named(&self, step: u64, table: &Table) -> Option<StepInfo> {
        let mut table = table;
        for item in &self.path.frame {
            table = table.inner(item.list)?;
        }
        let entry = table.node(self.path.node);
        let outputs: &[_] = match self.outputs {
            Outputs::Nothing => &[],
            Outputs::Branch(branch) => entry.outputs.get(branch..=branch).unwrap_or_default(),
            Outputs::All => &entry.outputs,
        };
        let step = StepInfo::new(step, &*entry.id, self.kind);
        let step = step.with_items(self.path.items());
        let outputs = outputs
            .iter()
            .map(|arc| table.state_key(arc.state).as_ref());
        let is_pure = entry.policy.is_pure && self.kind == StepKind::Node;
        Some(StepInfo {
            is_pure,
            ..step.with_outputs(outputs)
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Outputs {
    Nothing,
    Branch(usize),
    All,
}
