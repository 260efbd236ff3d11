//! Waking those who wait for something to happen to a run.

use std::fmt;

use tokio::sync::broadcast::{self, error::RecvError};

use crate::RunKey;

/// How many notifications wait for a subscriber that is slow. To lose some costs a look at the store.
const CAPACITY: usize = 256;

/// Tells others in this process which runs they might look at: a part of a [`RunStore`](crate::RunStore).
#[derive(Clone)]
pub struct Notifier(broadcast::Sender<Option<RunKey>>);

impl Notifier {
    /// A notifier that nobody listens to yet.
    pub fn new() -> Self {
        Self(broadcast::Sender::new(CAPACITY))
    }

    /// Says that something has happened to a run.
    pub fn notify(&self, key: &RunKey) {
        self.send(Some(key));
    }

    /// Says that something may have happened to any run.
    pub fn notify_any(&self) {
        self.send(None);
    }

    fn send(&self, key: Option<&RunKey>) {
        if self.0.receiver_count() > 0 {
            // Whoever listened may have gone meanwhile.
            let _ = self.0.send(key.cloned());
        }
    }

    /// The notifications from now on.
    pub fn subscribe(&self) -> Notifications {
        Notifications(self.0.subscribe())
    }
}

impl Default for Notifier {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Notifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notifier").finish_non_exhaustive()
    }
}

/// The notifications of a [`Notifier`]. They are hints: no store has to send one for every change, or for any of another
/// process.
#[derive(Debug)]
pub struct Notifications(broadcast::Receiver<Option<RunKey>>);

impl Notifications {
    /// The next run to look at; `None` where it may be any, because some were missed, say. Where no notifier is left it never
    /// ends. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<RunKey> {
        match self.0.recv().await {
            Ok(key) => key,
            Err(RecvError::Lagged(_)) => None,
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }

    /// Ends with the next notification of this run.
    pub(crate) async fn of(&mut self, key: &RunKey) {
        while self.next().await.is_some_and(|it| it != *key) {}
    }

    /// Forgets the notifications until now.
    pub(crate) fn clear(&mut self) {
        self.0 = self.0.resubscribe();
    }
}
