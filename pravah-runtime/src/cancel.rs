//! Telling a body that it is not wanted any more.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio::sync::Notify;

/// Is told once; its clones are told with it.
#[derive(Clone, Debug, Default)]
pub(crate) struct CancelToken(Arc<Told>);

#[derive(Debug, Default)]
struct Told {
    is_told: AtomicBool,
    waiting: Notify,
}

impl CancelToken {
    pub(crate) fn cancel(&self) {
        self.0.is_told.store(true, Ordering::Release);
        self.0.waiting.notify_waiters();
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.is_told.load(Ordering::Acquire)
    }

    /// Ends when it is told, at once where it was.
    pub(crate) async fn cancelled(&self) {
        // From here on it is woken; what was told before shows in the flag.
        let told = self.0.waiting.notified();
        if !self.is_cancelled() {
            told.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::CancelToken;

    #[tokio::test]
    async fn who_waits_is_woken_whenever_it_is_told() {
        for _ in 0..500 {
            let token = CancelToken::default();
            let teller = token.clone();
            let told = thread::spawn(move || teller.cancel());
            token.cancelled().await;
            assert!(token.is_cancelled());
            told.join().unwrap();
            token.cancelled().await;
        }
    }
}
