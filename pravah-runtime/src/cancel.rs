//! A flag by which a body learns that it is not wanted any more.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio::sync::Notify;

/// A cancellation flag that can be awaited; its clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct CancelToken(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    is_set: AtomicBool,
    notify: Notify,
}

impl CancelToken {
    pub(crate) fn cancel(&self) {
        self.0.is_set.store(true, Ordering::Release);
        self.0.notify.notify_waiters();
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.is_set.load(Ordering::Acquire)
    }

    /// Completes once `cancel` has been called; at once if it already was.
    pub(crate) async fn cancelled(&self) {
        // From here on it is woken; an earlier call shows in the flag.
        let notified = self.0.notify.notified();
        if !self.is_cancelled() {
            notified.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::CancelToken;

    #[tokio::test]
    async fn every_waiter_is_woken_by_cancel() {
        for _ in 0..500 {
            let token = CancelToken::default();
            let other = token.clone();
            let cancelled = thread::spawn(move || other.cancel());
            token.cancelled().await;
            assert!(token.is_cancelled());
            cancelled.join().unwrap();
            token.cancelled().await;
        }
    }
}
