//! A call of an agent or a flow, and how its task ends.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::AgentSpec;
use crate::{
    invocation::{AgentResult, ContextScope, InvocationResult, Join, TaskStatus},
    model::{Message, Messages, ModelResponse},
    model_text::{ToModel as _, journal},
    node::FailureKind,
    state::{Live, RawState},
};

/// A call of agents and flows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AgentCall {
    pub(crate) join: Join,
    /// Whom it calls: one, if its join is [`Join::Single`].
    pub(crate) targets: Vec<CallTarget>,
    /// Whether what it returns is what the caller returns.
    pub(crate) is_handoff: bool,
}

/// An agent or a flow that is called.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CallTarget {
    /// What it is called.
    pub(crate) agent: String,
    /// Which of those that may be called it is.
    pub(crate) callee: usize,
    /// What it knows of the conversation.
    pub(crate) context: ContextScope,
    pub(crate) start: CallStart,
}

/// What a call starts with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CallStart {
    /// What an agent is told.
    Prompt(TaskPrompt),
    /// What a flow takes.
    Input(Value),
}

/// What an agent is told, and what it knows of the conversation of its caller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaskPrompt {
    prompt: String,
    #[serde(
        default,
        skip_serializing_if = "Messages::is_empty",
        deserialize_with = "journal::messages"
    )]
    earlier: Messages,
    /// The ad-hoc agent that is called, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ad_hoc: Option<AdHocAgent>,
}

/// What an ad-hoc agent has of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdHocAgent {
    /// What it is told about itself, behind what the host tells all of them.
    pub(crate) system_prompt: String,
    /// The names of its tools, if it does not have all of the host's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tools: Option<Vec<String>>,
}

impl TaskPrompt {
    /// A prompt and nothing else.
    pub(crate) fn new(prompt: String) -> Self {
        Self {
            prompt,
            earlier: Messages::default(),
            ad_hoc: None,
        }
    }

    /// The same for an ad-hoc agent.
    #[must_use]
    pub(crate) fn for_ad_hoc(self, ad_hoc: AdHocAgent) -> Self {
        Self {
            ad_hoc: Some(ad_hoc),
            ..self
        }
    }

    /// The ad-hoc agent that is told this, where `base` is what all of them share.
    pub(crate) fn agent(&self, base: &AgentSpec) -> Result<AgentSpec, String> {
        match &self.ad_hoc {
            Some(ad_hoc) => base.with_ad_hoc(ad_hoc),
            None => Err("nothing says what it is told about itself".to_owned()),
        }
    }

    /// A prompt in a conversation that ends with the call.
    pub(super) fn in_context(prompt: String, context: ContextScope, messages: &Messages) -> Self {
        let earlier = match context {
            ContextScope::Independent => Messages::default(),
            _ => before_call(messages),
        };
        Self {
            earlier,
            ..Self::new(prompt)
        }
    }

    /// What the conversation of the agent starts with.
    pub(crate) fn messages(&self) -> Messages {
        let mut messages = self.earlier.clone();
        messages.push(Message::user(self.prompt.to_model()));
        messages
    }
}

/// What was said before the calls that a conversation ends with. What is opaque is bound to another prompt.
fn before_call(messages: &Messages) -> Messages {
    let last = messages.len().saturating_sub(1);
    let messages = messages.iter().cloned().enumerate();
    let messages = messages.filter_map(|(index, message)| match message {
        Message::Assistant { text, .. } if index == last => {
            let text = text.filter(|text| !text.trim().is_empty())?;
            Some(Message::assistant(ModelResponse::text(text)))
        }
        Message::Assistant { text, calls, .. } => Some(Message::Assistant {
            text,
            calls,
            opaque: None,
        }),
        message => Some(message),
    });
    messages.collect()
}

impl CallStart {
    pub(crate) fn into_live(self) -> Live {
        match self {
            Self::Prompt(prompt) => Live::new(prompt),
            Self::Input(input) => Live::new(input),
        }
    }
}

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaskEnd {
    pub(crate) status: TaskStatus,
    /// Why it failed, in one word, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<FailureKind>,
    /// What it returned, or why it failed.
    #[serde(deserialize_with = "raw")]
    pub(crate) content: Live,
}

/// What was returned, to be read by whoever takes it.
fn raw<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Live, D::Error> {
    RawState::deserialize(deserializer).map(Live::raw)
}

impl TaskEnd {
    pub(crate) fn completed(output: Live) -> Self {
        Self {
            status: TaskStatus::Completed,
            kind: None,
            content: output,
        }
    }

    pub(crate) fn failed(why: impl Into<String>) -> Self {
        Self {
            status: TaskStatus::Failed,
            kind: None,
            content: Live::new(why.into()),
        }
    }

    pub(crate) fn cancelled() -> Self {
        Self {
            status: TaskStatus::Cancelled,
            ..Self::failed("the task was cancelled").with_kind(FailureKind::Cancelled)
        }
    }

    /// Sets the kind of the failure.
    #[must_use]
    pub(crate) fn with_kind(self, kind: FailureKind) -> Self {
        Self {
            kind: Some(kind),
            ..self
        }
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.status != TaskStatus::Completed
    }

    /// The same with JSON as its content, or a failure where JSON cannot hold that.
    pub(crate) fn in_json(self) -> Self {
        match self.content.to_value() {
            Ok(content) => Self {
                content: Live::new(content),
                ..self
            },
            Err(error) => Self::failed(error.to_string()).with_kind(FailureKind::Data),
        }
    }

    /// What it returned, or why it failed, as JSON.
    pub(crate) fn value(&self) -> Value {
        let value = self.content.to_value();
        value.unwrap_or_else(|error| error.to_string().into())
    }

    /// What it returned, or why it failed: a text as it is, anything else as JSON.
    pub(crate) fn words(&self) -> String {
        let words = self.content.read_value(|content| match content {
            Value::String(text) => text.clone(),
            content => content.to_string(),
        });
        words.unwrap_or_else(|error| error.to_string())
    }

    /// The same as a result of the task of this id.
    pub(crate) fn into_result(self, task_id: String) -> AgentResult {
        AgentResult::new(self.value(), task_id, self.status)
    }

    /// What the calling model reads.
    pub(super) fn text(&self) -> String {
        match self.has_failed() {
            true => format!("the call failed: {}", self.words()),
            false => self.words(),
        }
    }
}

/// What a calling model reads of several tasks, which the step of this key has started.
pub(super) fn all_results(step_key: &str, ends: &[(usize, TaskEnd)]) -> String {
    let results = ends.iter();
    let results = results.map(|(task, end)| end.clone().into_result(task_id(step_key, *task)));
    tool_text(&InvocationResult::Vector {
        results: results.collect(),
    })
}

/// The JSON that a model reads of what comes of tasks.
pub(crate) fn tool_text(shown: &impl Serialize) -> String {
    // Nothing in it is what JSON cannot hold.
    serde_json::to_string(shown).unwrap_or_default()
}

/// What a task is called that the step of this key has started and waits for.
pub(crate) fn task_id(step_key: &str, task: usize) -> String {
    format!("{step_key}[{task}]")
}
