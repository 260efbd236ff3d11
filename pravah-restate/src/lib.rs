//! Flows on [Restate](https://restate.dev), a durable execution engine.
//!
//! [`RestateFlows`] serve flows as virtual objects: a run is an object, its entries are the object's state, and each step is
//! a short invocation whose result Restate journals. [`RestateRuns`] is the handle with which everybody else starts
//! runs, answers their questions and reads their results. A flow is written as for any other store, and its nodes need
//! not be deterministic: no code of theirs is replayed.
//! [A page](https://github.com/pravah-rs/pravah/blob/main/docs/restate.md) says what is guaranteed, and what is not.

mod advance;
mod cancel;
mod error;
mod flows;
mod invocation;
mod listen;
mod live;
mod message;
mod object;
mod record;
mod runs;
mod service;
mod start;
mod state;
mod step;

pub use error::RestateError;
pub use flows::RestateFlows;
pub use runs::{RestateRuns, StartRun};
#[cfg(doctest)]
#[doc = include_str!("../../docs/restate.md")]
struct RestatePage;
