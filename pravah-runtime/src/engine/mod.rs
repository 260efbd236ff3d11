//! The engine: one bounded step at a time, committed or not at all.
//!
//! What a run is: a `run` has its `state`, with a `frame` for the flow itself and one for each item of a `list`,
//! found by their `path`s, and beside it what is in no snapshot: what the caller set (`setup`, `options`,
//! `factory`) and what this process remembers (`memory`).
//!
//! What a step is: `FlowRuntime::next` (`runtime`) returns one of the `futures`, which make a `step`, or several
//! (`steps`), and read the flow's output as its type. A step has a node chosen (`choose`) and performed with
//! nothing committed (`perform`), keeps what awaits (`flight`), and commits the outcome (`outcome`, `commit`) with what
//! models cost (`spending`); a failure becomes another attempt (`attempts`, `fail`), goes to a `catch`, or ends one of
//! the `tasks` of an agent that has called others; `detached` ones run in the background, and `remote` ones are left to
//! runners. The plainest steps are made by the `fast_path`, and every `run_out` says whether there is more to do. A
//! `call` of a flow makes all of its steps.
//!
//! A step often comes after a long wait, when its code is in no cache. So what most steps skip is a function of its own,
//! `…_slow`: its caller inlines only the check whether it is needed.
//!
//! `questions` opens what nodes ask. `suspension` and `timers` let a run wait, by its `clock`; `ending` stops it from outside. `commands` takes what
//! hubs send, messages to `multi_turn` agents among it, `serve` waits for it and `channels` show it to others;
//! `yielding` lets other tasks have their turn; `notify` sends events to observers, `spans` lets others trace it, `view`
//! is what a body sees of its run, `inspect`, `status` and `last_step` what a caller sees.
//! `snapshot` writes a run and reads it back, `restore` goes on with it, and `load_report` says what
//! became of it, `load_help` what helps where it does not fit.

mod agents;
mod attempts;
mod call;
mod catch;
mod channels;
mod choose;
mod clock;
mod commands;
mod commit;
mod detached;
#[cfg(feature = "documents")]
mod documents;
mod ending;
mod factory;
mod fail;
mod fast_path;
mod flight;
mod futures;
mod inspect;
mod invoke;
mod last_step;
pub(crate) mod load_help;
mod load_report;
mod memory;
mod multi_turn;
mod notify;
mod options;
mod outcome;
mod perform;
mod preflight;
mod questions;
mod remote;
mod restore;
mod results;
mod run;
mod run_out;
mod runtime;
mod serve;
mod setup;
mod snapshot;
mod spans;
mod spending;
mod state;
mod status;
mod step;
mod steps;
mod suspension;
mod tasks;
mod timers;
mod view;
mod yielding;

#[cfg(test)]
pub(crate) mod tests;

pub use call::call;
pub use clock::{Clock, ManualClock, Sleep, SystemClock};
pub(crate) use clock::{since_epoch, whole_millis};
pub use futures::{AnswerFuture, RunFuture, StepFuture};
pub use last_step::{StepInfo, StepKind};
pub use load_report::{Dropped, LoadOptions, LoadReport};
pub use multi_turn::ListeningAgent;
pub use preflight::Unmet;
pub use run_out::RunOut;
pub use runtime::FlowRuntime;
pub use snapshot::{Changes, Entries, FlowSnapshot};
pub(crate) use snapshot::{MigrationName, Migrations, SlotMigration};
pub(crate) use state::RunState;
pub use state::{budget::Budget, progress::WaitReason};
pub use status::RunStatus;
pub use suspension::Suspension;
