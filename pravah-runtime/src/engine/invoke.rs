//! Nodes that let agents and flows do their work: how the calls that a body returned become tasks, and what these have
//! returned the output of the node.

use serde_json::{Value, json};

use super::{
    outcome::StepOutcome,
    run::{Out, Run},
    state::{RunState, path::NodePath, tasks::TaskStart},
};
use crate::{
    agent::TaskEnd,
    error::FlowError,
    graph::{Awaits, InvokeNode, NodeKind},
    invocation::{AgentResult, Invocation, InvocationResult, Join},
    node::{Emission, Emitted, FailureKind, Inputs, NodeCall},
    state::Live,
};

/// How many failed calls a message speaks of.
const MOST_SHOWN: usize = 3;

impl Run {
    /// The outcome of the step at `path`, where the calls that its body returned are tasks to start.
    pub(super) fn with_calls(&self, path: &NodePath, outcome: StepOutcome) -> StepOutcome {
        match outcome {
            StepOutcome::Outputs(Emitted(Emission::Calls(calls))) => self.starts(path, calls),
            outcome => outcome,
        }
    }

    fn starts(&self, path: &NodePath, calls: Vec<NodeCall>) -> StepOutcome {
        let entry = self.state.frame(&path.frame).table.node(path.node);
        let NodeKind::Invoke(invoke) = &entry.kind else {
            let problem = format!("`{}` names no agents that it calls", entry.id);
            return StepOutcome::failed(FlowError::BuildError(problem.into()));
        };
        if calls.is_empty() {
            return invoke.awaits.results(&entry.id, Vec::new());
        }
        let starts = calls.into_iter().map(|call| match invoke.callee(&call) {
            Some(callee) => Ok(TaskStart {
                callee,
                input: call.input.map_err(TaskEnd::failed),
            }),
            None => Err(not_named(&entry.id, &call.name, invoke)),
        });
        let starts: Result<_, FlowError> = starts.collect();
        starts.map_or_else(StepOutcome::failed, StepOutcome::Calls)
    }

    /// What goes on from the node at `path`, all of whose calls have ended.
    pub(super) fn results(
        &self,
        path: &NodePath,
        (awaits, ends): (Awaits, Vec<TaskEnd>),
        inputs: &Inputs<'_>,
    ) -> Result<StepOutcome, FlowError> {
        if awaits != Awaits::Invocation {
            return Ok(awaits.results(&self.node_id(path), ends));
        }
        let invocation = inputs.typed::<Invocation>(0).map_err(|error| *error)?;
        let result = result_of_invocation(invocation.join, ends, &self.step_key(path));
        Ok(StepOutcome::Outputs(Emitted::only(Live::new(result))))
    }

    /// Forgets what the agents have asked that the node at `path` has called, which is done.
    pub(super) fn forget_calls(&mut self, path: &NodePath) {
        let RunState { root, spending, .. } = &mut self.state;
        let has_called = root
            .at(&path.frame)
            .is_some_and(|frame| frame.has_tasks(path.node));
        if has_called && !spending.asked.is_empty() {
            spending.forget_called(root, path);
        }
    }

    /// Starts the tasks of the node at `path`, which waits for them.
    pub(super) fn call_agents(&mut self, path: &NodePath, starts: Vec<TaskStart>) -> Out {
        self.state.suspend(path);
        self.state
            .start_tasks(path, starts.into_iter().enumerate().collect());
        self.stop_clock(path);
        Out::Continue
    }
}

fn not_named(id: &str, called: &str, invoke: &InvokeNode) -> FlowError {
    let names: Vec<&str> = invoke.names().collect();
    let names = names.join("`, `");
    let problem =
        format!("`{id}` calls `{called}`, which is not in its `agents`: it may call `{names}`");
    FlowError::BuildError(problem.into())
}

impl Awaits {
    /// What goes on from the node `id` whose calls have ended like this.
    fn results(self, id: &str, ends: Vec<TaskEnd>) -> StepOutcome {
        let value = match self {
            Self::Outcomes | Self::Invocation => ends.into_iter().map(outcome).collect(),
            Self::Result | Self::Results if ends.iter().any(TaskEnd::has_failed) => {
                return StepOutcome::failed(calls_failed(id, &ends));
            }
            Self::Results => ends.into_iter().map(|end| end.content).collect(),
            Self::Result => ends
                .into_iter()
                .next()
                .map_or(Value::Null, |end| end.content),
        };
        StepOutcome::Outputs(Emitted::only(Live::new(value)))
    }
}

/// What an invocation returns whose calls have ended like this; `step_key` is that of its step.
fn result_of_invocation(join: Join, ends: Vec<TaskEnd>, step_key: &str) -> InvocationResult {
    let ends = ends.into_iter().enumerate();
    let mut results = ends.map(|(task, end)| {
        AgentResult::new(end.content, format!("{step_key}[{task}]"), end.status)
    });
    match (join, results.next()) {
        (Join::Single, Some(result)) => InvocationResult::Scalar { result },
        (_, first) => InvocationResult::Vector {
            results: first.into_iter().chain(results).collect(),
        },
    }
}

/// How a call has ended, as [`TaskResult`](crate::TaskResult) has it.
fn outcome(end: TaskEnd) -> Value {
    match end.has_failed() {
        true => json!({ "status": "failed", "message": end.why() }),
        false => json!({ "status": "completed", "output": end.content }),
    }
}

/// The failure of a node of whose calls some have failed.
fn calls_failed(id: &str, ends: &[TaskEnd]) -> FlowError {
    let failed = ends.iter().enumerate().filter(|(_, end)| end.has_failed());
    let failed: Vec<(usize, &TaskEnd)> = failed.collect();
    let shown = failed.iter().take(MOST_SHOWN);
    let shown: Vec<String> = shown
        .map(|(task, end)| format!("[{task}] {}", end.why()))
        .collect();
    let more = if failed.len() > MOST_SHOWN {
        "; …"
    } else {
        ""
    };
    let (count, all, shown) = (failed.len(), ends.len(), shown.join("; "));
    FlowError::Failed {
        node: id.to_owned(),
        kind: FailureKind::Error,
        message: format!("node `{id}` failed: {count} of its {all} calls failed: {shown}{more}"),
        attempts: 1,
    }
}
