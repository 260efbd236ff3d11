//! Detached tasks that a node has started.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{OneState, Output, Param};
use crate::{
    state::{ByClone, SealedState, State, StateRef},
    topology::CallOutput,
};

/// The detached tasks that a node has started with [`Invoke::detached`](crate::Invoke::detached): a state, which another
/// node takes to [wait](Self::wait) for them. In JSON it is the list of their ids.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Tasks {
    pub(super) task_ids: Vec<String>,
}

impl Tasks {
    pub(crate) const fn new(task_ids: Vec<String>) -> Self {
        Self { task_ids }
    }

    /// Their ids, in the order of the calls; see [`FlowRuntime::tasks`](crate::FlowRuntime::tasks).
    #[must_use]
    pub fn task_ids(&self) -> &[String] {
        &self.task_ids
    }
}

impl State for Tasks {
    const CALL_OUTPUT: CallOutput = CallOutput::TASKS;
}

impl SealedState for Tasks {
    const REF: StateRef = StateRef::of::<Self>("Tasks", "pravah_runtime::Tasks");

    type Copying = ByClone;
}

impl Param for Tasks {
    type Receive = OneState;
}

impl Output for Tasks {
    type Emit = OneState;
}
