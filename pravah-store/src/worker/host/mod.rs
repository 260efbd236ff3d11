//! Executing the steps of runs that something other than a [`RunStore`](crate::RunStore) keeps.
//!
//! [`Worker`](crate::Worker) is built on it. So is any host that keeps runs by its own means, such as a durable execution
//! engine: it reads a [`LoadedRun`](crate::LoadedRun), has [`Flows`] restore it, and writes what the [`HostedRun`] says
//! after each step as one [`Commit`]. Who may execute steps, and when a run is due, is the host's to see to.
//!
//! ```
//! use std::{sync::Arc, time::SystemTime};
//!
//! use pravah_runtime::{Entries, SystemClock, prelude::*};
//! use pravah_store::{LoadedRun, RunInfo, RunKey, Status, host::Flows};
//!
//! #[state] struct Order { cups: u32 }
//! #[state] struct Served { cups: u32 }
//! #[node] fn serve(order: Order) -> Served { Served { cups: order.cups } }
//! #[flow] fn coffee(order: Order) -> Served { flow! { serve } }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let flows = Flows::new().serve::<Order>();
//!
//! // What the host keeps: here, that of a run that has executed no step.
//! let key = RunKey::new("order-7")?;
//! let mut entries = Entries::default();
//! let mut started = FlowRuntime::<Order>::start(Order { cups: 2 })?.with_run_id(key.run_id());
//! entries.apply(started.take_changes()?);
//!
//! let info = RunInfo::new(key, Order::node_id(), Status::Ready, SystemTime::now());
//! let loaded = LoadedRun::new(info, entries.clone(), Vec::new());
//! let mut run = flows.restore(&loaded, Arc::new(SystemClock::new()))?;
//! let (step, _commands) = run.next_step(Context::default());
//! let result = step.await;
//! let commit = run.commit(result)?;
//! entries.apply(commit.changes);
//! assert_eq!((commit.status, commit.output.as_deref()), (Status::Done, Some(r#"{"cups":2}"#)));
//! # Ok(()) }
//! ```

mod flows;
mod run;

use std::time::Duration;

pub use self::{
    flows::Flows,
    run::{Commands, HostedRun, StepFuture},
};
use super::inbox::Inbox;
pub use crate::error::with_sources;
use crate::{Command, Commit, InboxRow, StoreError, command::Waiting};

/// The commit with which a run is cancelled that cannot be restored, if one of these commands cancels it. Its entries stay
/// as they are.
pub fn cancel_unread(inbox: Vec<InboxRow>) -> Option<Commit> {
    Inbox::new(inbox).cancel_unread()
}

/// How long to wait after this many steps in a row that could not be executed: a second, then twice as long each time, and a
/// minute at most.
pub fn retry_after(failed_steps: u32) -> Duration {
    let doubled = failed_steps.saturating_sub(1).min(6);
    Duration::from_secs(1 << doubled).min(Duration::from_secs(60))
}

/// Fails where the inbox of the run `run` has no room for a command, beside those that wait.
///
/// # Errors
///
/// [`StoreError::InboxFull`], as with [`RunStore::push`](crate::RunStore::push); [`StoreError::NotStorable`] if the command
/// is nested so deeply that it could not be read again.
pub fn check_command<'a>(
    run: &str,
    command: &Command,
    waiting: impl Iterator<Item = &'a Command> + Clone,
) -> Result<(), StoreError> {
    command.to_json()?;
    command.check_room(run, &Waiting::of(waiting))
}
