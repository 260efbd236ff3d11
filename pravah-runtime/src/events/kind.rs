//! What can happen in a run.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Audit, RemoteEvent, envelope};
use crate::{engine::StepInfo, json, model::Usage, node::FailureKind};

/// What kind of event it is. Prompts, answers and states are in none but [`AgentText`](Self::AgentText),
/// [`Audit`](Self::Audit) and [`Remote`](Self::Remote), which has what a runner relays, and what nodes of documents return, ask and receive in [`NodeEnded`](Self::NodeEnded),
/// [`QuestionAsked`](Self::QuestionAsked) and [`MessageReceived`](Self::MessageReceived); an error of a tool or a node may
/// quote them. [`Emitted`](Self::Emitted) has the value that somebody emitted, and a tool that a model made up is called as
/// the model called it.
///
/// The names in JSON are those beside the variants. What happens before a step is committed happens again
/// if the step is made again, and so does its event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", remote = "Self")]
#[non_exhaustive]
pub enum EventKind {
    /// `harness:start`: the first step in this process starts. [`FlowEvent::step`](super::FlowEvent::step) is 0
    /// unless the run was restored.
    #[serde(rename = "harness:start")]
    #[non_exhaustive]
    RunStarted {
        /// What the flow is called.
        #[serde(rename = "name")]
        flow: String,
    },
    /// `harness:complete`: the run has ended. A run whose node failed has not: it can go on.
    #[serde(rename = "harness:complete")]
    #[non_exhaustive]
    RunEnded {
        /// Whether the flow is done; it was cancelled otherwise.
        success: bool,
        /// How long it took in this process, since its first step or since somebody observes it; in JSON in
        /// milliseconds.
        #[serde(rename = "durationMs", with = "envelope::duration")]
        duration: Duration,
    },
    /// `session:abort`: the run was cancelled.
    #[serde(rename = "session:abort")]
    #[non_exhaustive]
    RunCancelled {
        /// Why, in the words of whoever did it.
        reason: String,
    },
    /// `session:pause`: no step is made before the run is unpaused.
    #[serde(rename = "session:pause")]
    RunPaused,
    /// `session:unpause`: steps are made again.
    #[serde(rename = "session:unpause")]
    RunUnpaused,
    /// A part of a document's run starts: all of it is one, `Run Flow`.
    #[serde(rename = "phase:start")]
    #[non_exhaustive]
    PhaseStarted {
        /// What it is called.
        name: String,
    },
    /// It has ended.
    #[serde(rename = "phase:complete")]
    #[non_exhaustive]
    PhaseEnded {
        /// What it is called.
        name: String,
    },
    /// It has failed.
    #[serde(rename = "phase:failed")]
    #[non_exhaustive]
    PhaseFailed {
        /// What it is called.
        name: String,
        /// Why.
        error: String,
    },
    /// `task:start`: an attempt at a node starts; of a document its first attempt.
    #[serde(rename = "task:start")]
    NodeStarted,
    /// `task:complete`: what a node returned is committed.
    #[serde(rename = "task:complete")]
    #[non_exhaustive]
    NodeEnded {
        /// Of a node of a document its output.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "result"
        )]
        result: Option<Value>,
    },
    /// `task:failed`: an attempt at a node failed. The words are for the operator.
    #[serde(rename = "task:failed")]
    #[non_exhaustive]
    NodeFailed {
        /// Why, in one word.
        kind: FailureKind,
        /// The same in words.
        #[serde(rename = "error")]
        message: String,
        /// What becomes of it.
        outcome: FailureOutcome,
    },
    /// `task:retry`: an attempt at a node of a document failed, and the node is tried again. Its task goes on: in a
    /// document each node has one.
    #[serde(rename = "task:retry")]
    #[non_exhaustive]
    AttemptFailed {
        /// Why, in one word.
        kind: FailureKind,
        /// The same in words.
        #[serde(rename = "error")]
        message: String,
    },
    /// `step`: a step was committed.
    #[serde(rename = "step", with = "envelope::step")]
    Step(StepInfo),
    /// `session:prompt`: a question is open.
    #[serde(rename = "session:prompt")]
    #[non_exhaustive]
    QuestionAsked {
        /// The id to answer it by.
        #[serde(rename = "promptId")]
        id: String,
        /// Which of the questions of the run it is, see [`Suspension::number`](crate::Suspension::number).
        number: u64,
        /// What is asked, of a `control.gate` of a document.
        #[serde(flatten)]
        gate: Option<DocumentQuestion>,
    },
    /// `session:reply`: a question was answered. If the tool that asked cannot read the answer, the question
    /// is open again, which is another [`QuestionAsked`](Self::QuestionAsked).
    #[serde(rename = "session:reply")]
    #[non_exhaustive]
    QuestionAnswered {
        /// The id that it was answered by.
        #[serde(rename = "promptId")]
        id: String,
    },
    /// `emitted`: somebody emitted an event of their own; see [`Hub::emit`](crate::Hub::emit).
    #[serde(rename = "emitted")]
    #[non_exhaustive]
    Emitted {
        /// What it is called.
        name: String,
        /// What it says.
        #[serde(deserialize_with = "json::value")]
        value: Value,
    },
    /// `agent:start`: an agent run starts, which is one attempt at one visit of an agent.
    #[serde(rename = "agent:start")]
    #[non_exhaustive]
    AgentStarted {
        /// The id of the agent's node.
        #[serde(rename = "agentName", default)]
        agent: String,
        /// The agent run: the [key of the step](crate::Step::key), `@` and the attempt, and so the same after a
        /// restore. After a failure that nothing takes attempts are counted from 1 again.
        #[serde(rename = "runId")]
        id: String,
    },
    /// `agent:complete`: an agent run has ended. There is one for each [`AgentStarted`](Self::AgentStarted) once its
    /// output is there, it failed or the run was cancelled.
    #[serde(rename = "agent:complete")]
    #[non_exhaustive]
    AgentEnded {
        /// The id of the agent's node.
        #[serde(rename = "agentName", default)]
        agent: String,
        /// The agent run, as its [`AgentStarted`](Self::AgentStarted) names it.
        #[serde(rename = "runId")]
        id: String,
        /// Whether its output is there.
        success: bool,
    },
    /// `agent:turn`: a multi-turn agent has answered, and waits for a message.
    #[serde(rename = "agent:turn")]
    #[non_exhaustive]
    TurnEnded {
        /// The agent run, as its [`AgentStarted`](Self::AgentStarted) names it.
        #[serde(rename = "runId")]
        id: String,
        /// Which of its turns it was, from 1.
        turn: u32,
    },
    /// `session:message`: an agent run has received a message, and its next turn starts.
    #[serde(rename = "session:message")]
    #[non_exhaustive]
    MessageReceived {
        /// The id of the agent's node.
        #[serde(rename = "agentName", default)]
        agent: String,
        /// The agent run, as its [`AgentStarted`](Self::AgentStarted) names it.
        #[serde(rename = "runId")]
        id: String,
        /// The message, if the agent is a node of a document.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<String>,
    },
    /// `agent:text`: the model of an agent without a contract says this, piece by piece.
    #[serde(rename = "agent:text")]
    #[non_exhaustive]
    AgentText {
        /// The next piece.
        content: String,
    },
    /// `model:answer`: the model of an agent has answered.
    #[serde(rename = "model:answer")]
    #[non_exhaustive]
    ModelAnswered {
        /// The model, by its URL.
        model: String,
        /// What the answer cost.
        usage: Usage,
    },
    /// `model:wait`: the model of an agent could not answer, and is asked again.
    #[serde(rename = "model:wait")]
    #[non_exhaustive]
    ModelWaits {
        /// The model, by its URL.
        model: String,
        /// What it said, for the operator.
        #[serde(rename = "error")]
        why: String,
        /// When it is asked again.
        #[serde(with = "envelope::millis")]
        until: SystemTime,
    },
    /// `model:fallback`: a model of an agent is unavailable, and the agent goes on with another one.
    #[serde(rename = "model:fallback")]
    #[non_exhaustive]
    ModelFellBack {
        /// The model that is unavailable, by its URL.
        model: String,
        /// What it said, for the operator.
        #[serde(rename = "error")]
        why: String,
    },
    /// `agent:tool:start`: a model asked for a tool.
    #[serde(rename = "agent:tool:start")]
    #[non_exhaustive]
    ToolStarted {
        /// The tool, as the model called it.
        #[serde(rename = "toolName")]
        tool: String,
        /// The call, as [`Context::call_id`](crate::Context::call_id) names it to the tool.
        #[serde(rename = "callId")]
        call_id: String,
    },
    /// `agent:tool:complete`: a call of a tool has a result, or has failed. There is one for each
    /// [`ToolStarted`](Self::ToolStarted), once whatever the call waits for has come.
    #[serde(rename = "agent:tool:complete")]
    #[non_exhaustive]
    ToolEnded {
        /// The tool, as the model called it.
        #[serde(rename = "toolName")]
        tool: String,
        /// The call, as its [`ToolStarted`](Self::ToolStarted) names it.
        #[serde(rename = "callId")]
        call_id: String,
        /// Whether the call failed, was rejected, could not be made, or was dropped with its step.
        #[serde(rename = "isError")]
        is_error: bool,
    },
    /// `agent:tool:failed`: why a call of a tool failed, whether or not the model is told.
    #[serde(rename = "agent:tool:failed")]
    #[non_exhaustive]
    ToolFailed {
        /// The tool, as the model called it.
        #[serde(rename = "toolName")]
        tool: String,
        /// The call, as its [`ToolStarted`](Self::ToolStarted) names it.
        #[serde(rename = "callId")]
        call_id: String,
        /// What went wrong and what caused it, for the operator.
        error: String,
        /// What is beneath the cause, and what is beneath that.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        causes: Vec<String>,
        /// What the model is told instead; nothing where the error is not for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        told: Option<String>,
    },
    /// `audit`: something happened to an answer under a [`Contract`](crate::Contract), for the record.
    #[serde(rename = "audit")]
    Audit(Audit),
    /// `remote`: something happened to a remote agent.
    #[serde(rename = "remote")]
    Remote(RemoteEvent),
    /// `channel:error`: a channel could not start, and is not attached; see [`Channels`](crate::Channels).
    #[serde(rename = "channel:error")]
    #[non_exhaustive]
    ChannelFailed {
        /// What the channel is called.
        channel: String,
        /// Why, for the operator.
        error: String,
    },
    /// `missed`: events that a [stream](super::Events) lost, because nobody took them in time. Only that
    /// stream has this event; its sequence number is that of the last event that is lost.
    #[serde(rename = "missed")]
    #[non_exhaustive]
    Missed {
        /// How many.
        count: u64,
    },
    /// An event of a type that is not in this list, as it was read from JSON: its `type` and its other
    /// fields. It is written as it was.
    #[serde(skip)]
    Other(Map<String, Value>),
}

/// What a `control.gate` of a document asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DocumentQuestion {
    /// The question.
    pub prompt: String,
    /// The answers to choose from, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<String>>,
    /// Whether other answers are allowed.
    pub allow_text: bool,
}

/// What becomes of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureOutcome {
    /// The node is tried again.
    Retried,
    /// A `catch` takes it.
    Caught,
    /// Nothing takes it: the step is an error, or the node waits until everything else has gone on. Nothing is
    /// lost: another step tries the node again.
    Unhandled,
}

/// What the kinds are called in JSON: one list for those that are written and those that are known when read.
macro_rules! types {
    ($($kind:pat => $name:literal,)+) => {
        /// The types of events that are read as such. Any other is an [`EventKind::Other`].
        pub(super) const TYPES: &[&str] = &[$($name),+];

        /// What the event is called in JSON.
        ///
        /// ```
        /// use pravah_runtime::EventKind;
        ///
        /// assert_eq!(EventKind::NodeStarted.name(), "task:start");
        /// ```
        #[must_use]
        pub fn name(&self) -> &str {
            match self {
                $($kind => $name,)+
                Self::Other(fields) => fields.get("type").and_then(Value::as_str).unwrap_or_default(),
            }
        }
    };
}

impl EventKind {
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::AgentText { .. })
    }

    types! {
        Self::RunStarted { .. } => "harness:start",
        Self::RunEnded { .. } => "harness:complete",
        Self::RunCancelled { .. } => "session:abort",
        Self::RunPaused => "session:pause",
        Self::RunUnpaused => "session:unpause",
        Self::PhaseStarted { .. } => "phase:start",
        Self::PhaseEnded { .. } => "phase:complete",
        Self::PhaseFailed { .. } => "phase:failed",
        Self::NodeStarted => "task:start",
        Self::NodeEnded { .. } => "task:complete",
        Self::NodeFailed { .. } => "task:failed",
        Self::AttemptFailed { .. } => "task:retry",
        Self::Step(_) => "step",
        Self::QuestionAsked { .. } => "session:prompt",
        Self::QuestionAnswered { .. } => "session:reply",
        Self::Emitted { .. } => "emitted",
        Self::AgentStarted { .. } => "agent:start",
        Self::AgentEnded { .. } => "agent:complete",
        Self::TurnEnded { .. } => "agent:turn",
        Self::MessageReceived { .. } => "session:message",
        Self::AgentText { .. } => "agent:text",
        Self::ModelAnswered { .. } => "model:answer",
        Self::ModelWaits { .. } => "model:wait",
        Self::ModelFellBack { .. } => "model:fallback",
        Self::ToolStarted { .. } => "agent:tool:start",
        Self::ToolEnded { .. } => "agent:tool:complete",
        Self::ToolFailed { .. } => "agent:tool:failed",
        Self::Audit(_) => "audit",
        Self::Remote(_) => "remote",
        Self::ChannelFailed { .. } => "channel:error",
        Self::Missed { .. } => "missed",
    }
}

/// A result that is there, also if it is null.
fn result<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    json::value(from).map(Some)
}
