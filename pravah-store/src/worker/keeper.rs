//! Renewing a lease while a step runs.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    task::JoinHandle,
    time::{Instant, sleep},
};

use crate::{Lease, RunStore, StoreError};

/// What is known of a lease.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LeaseState {
    pub(super) is_lost: bool,
    /// The number of the last command that was pushed, as far as is known.
    pub(super) last_command: u64,
}

/// A task that renews a lease until it is dropped. A task of its own: on a runtime with several threads a body that blocks
/// its own does not stop it.
pub(super) struct Keeper {
    pub(super) state: watch::Receiver<LeaseState>,
    task: JoinHandle<()>,
}

impl Keeper {
    /// Keeps a lease that was given no earlier than `since`.
    pub(super) fn start(
        store: Arc<dyn RunStore>,
        lease: Lease,
        (since, duration): (Instant, Duration),
    ) -> Self {
        let (sender, state) = watch::channel(LeaseState::default());
        let task = tokio::spawn(renew(store, lease, (since, duration), sender));
        Self { state, task }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn renew(
    store: Arc<dyn RunStore>,
    lease: Lease,
    (mut since, duration): (Instant, Duration),
    state: watch::Sender<LeaseState>,
) {
    let mut wait = duration / 3;
    loop {
        sleep(wait).await;
        let asked = Instant::now();
        match store.renew(&lease, duration).await {
            Ok(last_command) => {
                (since, wait) = (asked, duration / 3);
                state.send_modify(|state| state.last_command = last_command);
            }
            Err(error) => {
                let is_lost =
                    matches!(error, StoreError::LeaseLost { .. }) || since.elapsed() >= duration;
                tracing::warn!(run = %lease.key, %error, is_lost, "a lease was not renewed");
                if is_lost {
                    state.send_modify(|state| state.is_lost = true);
                    return;
                }
                wait = duration / 10;
            }
        }
    }
}
