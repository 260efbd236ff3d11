//! No wake of a body in flight is lost: checked with `loom`, in many orders of threads.

use std::{future::poll_fn, mem::replace, sync::Arc, task::Poll, task::Waker};

use loom::{future::block_on, model::Builder, thread};

use self::{
    sync::{AtomicBool, Ordering},
    waker::{BodyWaker, StepTask},
};

#[path = "../src/engine/flight/waker.rs"]
mod waker;

/// What the wakers share between threads, in the version of `loom`.
mod sync {
    use std::task::Waker;

    pub(super) use loom::sync::atomic::{AtomicBool, Ordering};

    #[derive(Default)]
    pub(super) struct AtomicWaker(loom::future::AtomicWaker);

    impl AtomicWaker {
        pub(super) fn register(&self, waker: &Waker) {
            self.0.register_by_ref(waker);
        }

        pub(super) fn wake(&self) {
            self.0.wake();
        }
    }
}

/// A body that a thread of its own ends.
struct Body {
    waker: Arc<BodyWaker>,
    has_started: bool,
    has_ended: Arc<AtomicBool>,
}

impl Body {
    fn new(task: &Arc<StepTask>) -> Self {
        Self {
            waker: BodyWaker::new(task),
            has_started: false,
            has_ended: Arc::new(AtomicBool::new(false)),
        }
    }

    /// Whether it has ended, if it has woken. The first poll starts the thread that ends it.
    fn poll(&mut self) -> bool {
        if !self.waker.take_woken() {
            return false;
        }
        if !replace(&mut self.has_started, true) {
            let has_ended = Arc::clone(&self.has_ended);
            let waker = Waker::from(Arc::clone(&self.waker));
            thread::spawn(move || {
                has_ended.store(true, Ordering::Release);
                waker.wake();
            });
        }
        self.has_ended.load(Ordering::Acquire)
    }
}

fn await_bodies(count: usize) {
    let task = Arc::new(StepTask::default());
    let mut bodies: Vec<_> = (0..count).map(|_| Body::new(&task)).collect();
    block_on(poll_fn(|step| {
        task.register(step);
        bodies.retain_mut(|body| !body.poll());
        match bodies.is_empty() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }));
}

#[test]
fn the_wake_of_one_body_is_not_lost() {
    loom::model(|| await_bodies(1));
}

/// In all orders with at most two preemptions: without a bound two bodies already take minutes.
#[test]
fn no_wake_of_three_bodies_is_lost() {
    let mut model = Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| await_bodies(3));
}
