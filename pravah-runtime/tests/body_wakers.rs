//! No body's wake is lost, in whatever order threads run: `loom` tries all of them.

use std::{
    future::poll_fn,
    sync::Arc,
    task::{Poll, Waker},
};

use loom::{future::block_on, thread};

use self::{
    sync::{AtomicBool, Ordering},
    waker::{BodyWaker, StepTask},
};

#[path = "../src/engine/flight/waker.rs"]
mod waker;

/// What the wakers share between threads, as `loom` follows it.
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

/// A body that has ended once another thread says so.
struct Body {
    has_ended: Arc<AtomicBool>,
    waker: Arc<BodyWaker>,
}

impl Body {
    fn new(task: &Arc<StepTask>) -> Self {
        Self {
            has_ended: Arc::new(AtomicBool::new(false)),
            waker: BodyWaker::new(task),
        }
    }

    /// Whether it has ended, as far as a poll shows that; what it is first polled with is handed to `start`.
    fn poll(&self, start: impl FnOnce(Waker)) -> bool {
        let Some(waker) = self.waker.take_woken() else {
            return false;
        };
        start(waker);
        self.has_ended.load(Ordering::Acquire)
    }
}

/// Awaits bodies that end on threads of their own, polling each only when it has woken.
fn await_bodies(count: usize) {
    let task = Arc::new(StepTask::default());
    let mut bodies: Vec<_> = (0..count).map(|_| (Body::new(&task), false)).collect();
    block_on(poll_fn(|step| {
        task.register(step);
        bodies.retain_mut(|(body, has_started)| {
            let ended = Arc::clone(&body.has_ended);
            let is_over = body.poll(|waker| {
                if !std::mem::replace(has_started, true) {
                    thread::spawn(move || {
                        ended.store(true, Ordering::Release);
                        waker.wake();
                    });
                }
            });
            !is_over
        });
        match bodies.is_empty() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }));
}

/// The same in all orders in which no thread is interrupted more than twice: those of two bodies take minutes
/// without a limit.
fn in_all_orders(count: usize) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(move || await_bodies(count));
}

#[test]
fn the_wake_of_one_body_is_not_lost() {
    in_all_orders(1);
}

#[test]
fn no_wake_of_three_bodies_is_lost() {
    in_all_orders(3);
}
