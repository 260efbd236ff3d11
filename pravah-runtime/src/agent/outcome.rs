//! What one step of an agent came to.

use std::time::Duration;

use serde_json::{Map, Value};

use super::Spent;
use crate::{error::FlowError, state::Live};

/// The outcome of one step.
#[derive(Debug)]
pub(crate) enum AgentStep {
    /// The model has answered, and the agent has to go on.
    Asked,
    /// Tools have run, and the agent has to go on.
    Ran,
    /// The model could not answer; it is to be asked again after this time.
    Waits {
        wait: Duration,
        model: Box<str>,
        /// What the model said, for the operator.
        why: Box<str>,
    },
    /// Tool calls wait for somebody outside, or for agents that they call; their siblings are done. All that wait
    /// for an answer, in the order asked.
    Suspended(Vec<OpenCall>),
    /// The answer waits for a review; this is the question.
    InReview(Map<String, Value>),
    /// The agent has answered, and waits for a message so long.
    Listens(Duration),
    /// The agent is done.
    Done(Live),
    /// Another agent has taken over, and the agent returns what that has returned.
    HandedOff(Live),
}

/// Why a step failed.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) error: Box<FlowError>,
    /// What the visit has used, where that is more than before the step.
    pub(crate) spent: Option<Spent>,
}

// It has no `From<FlowError>`: rustc would list it where `?` in a user's code leaves the type of an error open.
impl Failed {
    /// An error before the visit has used anything.
    pub(crate) fn at_start(error: FlowError) -> Self {
        Self {
            error: error.into(),
            spent: None,
        }
    }

    /// An error, with what the visit had used by then.
    pub(crate) fn after(error: FlowError, spent: Spent) -> Self {
        Self {
            error: error.into(),
            spent: Some(spent),
        }
    }
}

/// A tool call that waits for a payload.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OpenCall {
    /// For `AgentProgress::resume`. A call that suspends again has a new one.
    pub(crate) call_id: String,
    pub(crate) tool: String,
    /// What is asked.
    pub(crate) value: Value,
    /// Whether it is the approval that it waits for, and not the tool.
    pub(crate) is_approval: bool,
}
