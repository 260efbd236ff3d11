//! A choice of two states.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One of two states: what a node that chooses returns, and what a node that merges takes.
///
/// For more than two branches write an enum of your own and [`#[choice]`](macro@crate::choice).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Either_of_{A}_and_{B}")]
pub enum Either<A, B> {
    /// The first branch.
    Left(A),
    /// The second branch.
    Right(B),
}
