//! The outcome of a step, as callers see it.

use std::time::SystemTime;

use serde_json::Value;

use super::state::progress::WaitReason;

/// The outcome of one call of [`FlowRuntime::next`].
///
/// [`FlowRuntime::next`]: crate::FlowRuntime::next
#[derive(Clone, Debug, PartialEq)]
pub enum RunOut<O> {
    /// A step was made; there is more to do.
    Continue,
    /// The flow is done, and this is its output.
    Done(O),
    /// Someone must answer: ask them, and hand what they say to [`FlowRuntime::answer`].
    ///
    /// [`FlowRuntime::answer`]: crate::FlowRuntime::answer
    Suspend {
        /// What is asked.
        value: Value,
        /// What to resume.
        tool_id: String,
    },
    /// Nothing can move before `until`. [`FlowRuntime::run`] sleeps until then; after
    /// [`FlowRuntime::next`] call [`FlowRuntime::wait`].
    ///
    /// [`FlowRuntime::run`]: crate::FlowRuntime::run
    /// [`FlowRuntime::next`]: crate::FlowRuntime::next
    /// [`FlowRuntime::wait`]: crate::FlowRuntime::wait
    #[non_exhaustive]
    Waiting {
        /// When to come back; `None` where no time helps: the run is paused.
        until: Option<SystemTime>,
        /// What it waits for.
        why: WaitReason,
    },
}

impl<O> RunOut<O> {
    /// [`Waiting`](Self::Waiting), for tests of what handles it.
    pub fn waiting(until: Option<SystemTime>, why: WaitReason) -> Self {
        Self::Waiting { until, why }
    }
}
