//! The engine: one bounded step at a time, committed or not at all.
//!
//! A step is chosen (`run`), performed without a change to the run (`step`), and committed
//! (`commit`, on the `marking`). Lists (`each`), failures (`catch`) and suspensions have a file
//! each; `snapshot` writes a run and reads it back.

mod catch;
mod commit;
mod each;
mod flight;
mod info;
mod marking;
mod run;
mod runtime;
mod snapshot;
mod step;
mod straight;
mod suspension;
#[cfg(test)]
mod tests;
mod view;

pub use info::{StepInfo, StepKind};
pub use runtime::{FlowRuntime, RunOut};
pub use snapshot::FlowSnapshot;
pub use suspension::Suspension;
