//! Events made by hand, for the tests of an observer.

use std::{
    error::Error as _,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::Value;

use super::{DocumentQuestion, EventKind, FailureOutcome, FlowEvent};
use crate::{error::ToolError, model::Usage, model_text::ModelText, node::FailureKind};

impl FlowEvent {
    /// What happened at a node of a run: in the first attempt, before the first step, in 1970 and in no list until
    /// the other functions say otherwise.
    ///
    /// ```
    /// use pravah_runtime::{EventKind, FlowEvent, FlowObserver, StepInfo, StepKind};
    /// use std::sync::Mutex;
    ///
    /// #[derive(Default)]
    /// struct Lines(Mutex<Vec<String>>);
    ///
    /// impl FlowObserver for Lines {
    ///     fn on_event(&self, event: &FlowEvent) {
    ///         if let EventKind::Step(step) = &event.kind {
    ///             self.0.lock().unwrap().push(format!("{}: {step}", event.run_id));
    ///         }
    ///     }
    /// }
    ///
    /// let step = StepInfo::new(3, "score", StepKind::Node)
    ///     .with_items([1])
    ///     .with_outputs(["Score"]);
    /// let lines = Lines::default();
    /// lines.on_event(&FlowEvent::new("run-7", "score", EventKind::Step(step)).with_items([1]));
    /// assert_eq!(*lines.0.lock().unwrap(), ["run-7: 3. score[1] -> Score"]);
    /// ```
    #[must_use]
    pub fn new(run_id: impl Into<Arc<str>>, node: impl Into<String>, kind: EventKind) -> Self {
        Self {
            node: Some(node.into()),
            attempt: 1,
            ..Self::of_run(run_id, kind)
        }
    }

    /// What happened to a run as a whole.
    #[must_use]
    pub fn of_run(run_id: impl Into<Arc<str>>, kind: EventKind) -> Self {
        Self {
            run_id: run_id.into(),
            sequence: 1,
            time: UNIX_EPOCH,
            step: 0,
            node: None,
            items: Vec::new(),
            attempt: 0,
            kind,
        }
    }

    /// The same in these items of the lists around the node, outermost first.
    #[must_use]
    pub fn with_items(mut self, items: impl IntoIterator<Item = usize>) -> Self {
        self.items = items.into_iter().collect();
        self
    }

    /// The same in this attempt, from 1.
    #[must_use]
    pub fn with_attempt(mut self, attempt: u32) -> Self {
        self.attempt = attempt;
        self
    }

    /// The same after so many steps.
    #[must_use]
    pub fn with_step(mut self, step: u64) -> Self {
        self.step = step;
        self
    }

    /// The same as event number `sequence`, from 1, at this time.
    #[must_use]
    pub fn with_sequence(mut self, sequence: u64, time: SystemTime) -> Self {
        self.sequence = sequence;
        self.time = time;
        self
    }
}

/// Constructors, for tests of an observer; the variants say what the arguments are.
///
/// ```
/// use pravah_runtime::{EventKind, FailureKind, FailureOutcome, ToolError, Usage};
/// use std::time::SystemTime;
///
/// let model = "openai://gpt-4o-mini";
/// let kinds = [
///     EventKind::model_answered(model, Usage::new(200, 20)),
///     EventKind::model_waits(model, "rate limit", SystemTime::now()),
///     EventKind::model_fell_back(model, "no quota left"),
///     EventKind::node_failed(FailureKind::Timeout, "no answer in 30 s", FailureOutcome::Retried),
///     EventKind::tool_failed("orders", "call_1", &ToolError::fatal("the shop is closed"), None),
/// ];
/// assert!(matches!(&kinds[2], EventKind::ModelFellBack { why, .. } if why == "no quota left"));
/// ```
impl EventKind {
    /// The model of this URL has answered.
    pub fn model_answered(model: impl Into<String>, usage: Usage) -> Self {
        Self::ModelAnswered {
            model: model.into(),
            usage,
        }
    }

    /// The model of this URL could not answer, and is asked again.
    pub fn model_waits(
        model: impl Into<String>,
        why: impl Into<String>,
        until: SystemTime,
    ) -> Self {
        Self::ModelWaits {
            model: model.into(),
            why: why.into(),
            until,
        }
    }

    /// The model of this URL is unavailable, and the agent goes on with another one.
    pub fn model_fell_back(model: impl Into<String>, why: impl Into<String>) -> Self {
        Self::ModelFellBack {
            model: model.into(),
            why: why.into(),
        }
    }

    /// An attempt at a node failed.
    pub fn node_failed(
        kind: FailureKind,
        message: impl Into<String>,
        outcome: FailureOutcome,
    ) -> Self {
        Self::NodeFailed {
            kind,
            message: message.into(),
            outcome,
        }
    }

    /// An attempt at a node of a document failed, and the node is tried again.
    pub fn attempt_failed(kind: FailureKind, message: impl Into<String>) -> Self {
        Self::AttemptFailed {
            kind,
            message: message.into(),
        }
    }

    /// The first step of a run of this flow starts.
    pub fn run_started(flow: impl Into<String>) -> Self {
        Self::RunStarted { flow: flow.into() }
    }

    /// The run has ended.
    pub fn run_ended(success: bool, duration: Duration) -> Self {
        Self::RunEnded { success, duration }
    }

    /// A part of a document's run starts.
    pub fn phase_started(name: impl Into<String>) -> Self {
        Self::PhaseStarted { name: name.into() }
    }

    /// It has ended.
    pub fn phase_ended(name: impl Into<String>) -> Self {
        Self::PhaseEnded { name: name.into() }
    }

    /// It has failed.
    pub fn phase_failed(name: impl Into<String>, error: impl Into<String>) -> Self {
        Self::PhaseFailed {
            name: name.into(),
            error: error.into(),
        }
    }

    /// What a node returned is committed.
    pub const fn node_ended() -> Self {
        Self::NodeEnded { result: None }
    }

    /// The same of a node of a document, with its output.
    pub const fn node_ended_with(result: Value) -> Self {
        Self::NodeEnded {
            result: Some(result),
        }
    }

    /// The run was cancelled.
    pub fn run_cancelled(reason: impl Into<String>) -> Self {
        Self::RunCancelled {
            reason: reason.into(),
        }
    }

    /// A question is open.
    pub fn question_asked(id: impl Into<String>, number: u64) -> Self {
        let id = id.into();
        Self::QuestionAsked {
            id,
            number,
            gate: None,
        }
    }

    /// A question of a `control.gate` of a document is open.
    pub fn gate_question_asked(id: impl Into<String>, number: u64, gate: DocumentQuestion) -> Self {
        Self::QuestionAsked {
            id: id.into(),
            number,
            gate: Some(gate),
        }
    }

    /// A question was answered.
    pub fn question_answered(id: impl Into<String>) -> Self {
        Self::QuestionAnswered { id: id.into() }
    }

    /// Somebody emitted an event of their own.
    pub fn emitted(name: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::Emitted {
            name: name.into(),
            value: value.into(),
        }
    }

    /// An agent run starts, of the node `agent`; `id` names the run.
    pub fn agent_started(agent: impl Into<String>, id: impl Into<String>) -> Self {
        Self::AgentStarted {
            agent: agent.into(),
            id: id.into(),
        }
    }

    /// An agent run has ended, of the node `agent`; `id` names the run.
    pub fn agent_ended(agent: impl Into<String>, id: impl Into<String>, success: bool) -> Self {
        Self::AgentEnded {
            agent: agent.into(),
            id: id.into(),
            success,
        }
    }

    /// A multi-turn agent has answered.
    pub fn turn_ended(id: impl Into<String>, turn: u32) -> Self {
        Self::TurnEnded {
            id: id.into(),
            turn,
        }
    }

    /// An agent run has received a message, of the node `agent`; `id` names the run.
    pub fn message_received(
        agent: impl Into<String>,
        id: impl Into<String>,
        content: Option<String>,
    ) -> Self {
        Self::MessageReceived {
            agent: agent.into(),
            id: id.into(),
            content,
        }
    }

    /// The model of an agent says this.
    pub fn agent_text(content: impl Into<String>) -> Self {
        Self::AgentText {
            content: content.into(),
        }
    }

    /// A model asked for a tool.
    pub fn tool_started(tool: impl Into<String>, call_id: impl Into<String>) -> Self {
        Self::ToolStarted {
            tool: tool.into(),
            call_id: call_id.into(),
        }
    }

    /// A call of a tool has a result, or has failed.
    pub fn tool_ended(tool: impl Into<String>, call_id: impl Into<String>, is_error: bool) -> Self {
        Self::ToolEnded {
            tool: tool.into(),
            call_id: call_id.into(),
            is_error,
        }
    }

    /// A channel could not start.
    pub fn channel_failed(channel: impl Into<String>, error: impl Into<String>) -> Self {
        Self::ChannelFailed {
            channel: channel.into(),
            error: error.into(),
        }
    }

    /// A stream has lost events.
    pub fn missed(count: u64) -> Self {
        Self::Missed { count }
    }

    /// A call of a tool failed. `told` is what the model is told; `None` where the error is not for it.
    pub fn tool_failed(
        tool: impl Into<String>,
        call_id: impl Into<String>,
        error: &ToolError,
        told: Option<ModelText>,
    ) -> Self {
        let causes = std::iter::successors(error.source(), |cause| (*cause).source());
        Self::ToolFailed {
            tool: tool.into(),
            call_id: call_id.into(),
            error: error.to_string(),
            causes: causes.map(ToString::to_string).collect(),
            told: told.map(|told| told.to_string()),
        }
    }
}
