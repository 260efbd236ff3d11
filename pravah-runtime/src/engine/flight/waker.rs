//! Wakers of the bodies in flight: each notes which body can go on, and together they wake the task once.

use std::{
    sync::Arc,
    task::{Context as Task, Wake},
};

use super::sync::{AtomicBool, AtomicWaker, Ordering};

/// The task that awaits a step. It is woken once, however many bodies wake before it is polled: for tokio every wake
/// may be a system call.
#[derive(Default)]
pub(crate) struct StepTask {
    waker: AtomicWaker,
    is_woken: AtomicBool,
}

impl StepTask {
    /// Makes `task` the one that the next body to wake wakes. To be called before the bodies are polled.
    pub(crate) fn register(&self, task: &Task<'_>) {
        self.waker.register(task.waker());
        // Acquires what was written by bodies that did not wake the task because it was woken already.
        self.is_woken.swap(false, Ordering::AcqRel);
    }

    fn wake(&self) {
        if !self.is_woken.swap(true, Ordering::AcqRel) {
            self.waker.wake();
        }
    }
}

/// The waker of a body in flight.
pub(crate) struct BodyWaker {
    /// Whether the body has woken since it was polled.
    is_woken: AtomicBool,
    task: Arc<StepTask>,
}

impl BodyWaker {
    /// The waker of a body that has not been polled.
    pub(crate) fn new(task: &Arc<StepTask>) -> Arc<Self> {
        Arc::new(Self {
            is_woken: AtomicBool::new(true),
            task: Arc::clone(task),
        })
    }

    /// Whether the body has woken since this was last asked, or was never polled.
    pub(crate) fn take_woken(&self) -> bool {
        self.is_woken.swap(false, Ordering::AcqRel)
    }
}

impl Wake for BodyWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Whoever set it first wakes the task.
        if !self.is_woken.swap(true, Ordering::AcqRel) {
            self.task.wake();
        }
    }
}
