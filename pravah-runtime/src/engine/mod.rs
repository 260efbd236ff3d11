//! The engine: one bounded step at a time, committed or not at all.
//!
//! `FlowRuntime::next` (`runtime`) is a future that makes one step (`step`). The node is chosen
//! (`run`), its body started with nothing committed (`start`), its outcome (`outcome`)
//! committed (`commit`, on the `marking`). Where one state waits and goes on to the next node the
//! `fast_path` does all of that. Lists (`each`), failures (`catch`) and suspensions have a file
//! each; `turns` lets other tasks have theirs; `view` is what a body sees of its run, `last_step` what
//! a caller sees of the last step; `snapshot` writes a run and reads it back.

mod budget;
mod catch;
mod commit;
mod each;
mod factory;
mod fast_path;
mod last_step;
mod marking;
mod outcome;
mod questions;
mod run;
mod runtime;
mod setup;
mod snapshot;
mod start;
mod step;
mod suspension;
#[cfg(test)]
mod tests;
mod timers;
mod turns;
mod view;

pub use budget::Budget;
pub use last_step::{StepInfo, StepKind};
pub use runtime::{FlowRuntime, RunOut};
pub use snapshot::FlowSnapshot;
pub use suspension::Suspension;
