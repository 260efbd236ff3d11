//! When a run yields to other tasks, and how deeply runs may be nested.

use std::{
    cell::Cell,
    task::{Context as Task, Poll},
};

use tokio::task::coop::poll_proceed;

use super::run::Run;
use crate::error::FlowError;

/// How many steps a run makes in one go where nobody else sets a limit: outside of tokio.
const STEPS_IN_A_ROW: u32 = 128;

/// How many runs may be polled within each other, on one thread's stack.
const MAX_DEPTH: u32 = 16;

impl Run {
    /// Whether to make a step now. Steps that never await would keep the thread to themselves, past
    /// every timeout: within tokio they use up the task's budget, as its own futures do, and anywhere
    /// else the run stops after some and asks to be polled again.
    #[inline]
    pub(super) fn may_step(&mut self, task: &mut Task<'_>) -> bool {
        let Poll::Ready(budget) = poll_proceed(task) else {
            self.steps_in_a_row = 0;
            return false;
        };
        if self.steps_in_a_row >= STEPS_IN_A_ROW {
            self.steps_in_a_row = 0;
            task.waker().wake_by_ref();
            return false;
        }
        budget.made_progress();
        self.steps_in_a_row = self.steps_in_a_row.saturating_add(1);
        true
    }
}

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// A run that is being polled, on this thread's stack.
pub(super) struct Nested;

impl Nested {
    /// Fails where a flow starts itself over and over, before the stack does.
    #[inline]
    pub(super) fn enter() -> Result<Self, FlowError> {
        let depth = DEPTH.get();
        if depth >= MAX_DEPTH {
            return Err(FlowError::TooDeep { limit: MAX_DEPTH });
        }
        DEPTH.set(depth.saturating_add(1));
        Ok(Self)
    }
}

impl Drop for Nested {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get().saturating_sub(1));
    }
}
