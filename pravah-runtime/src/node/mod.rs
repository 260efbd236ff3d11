//! Nodes: what they take, what they return, and how the engine runs them.
//!
//! The macros write impls of these traits; the builder makes the same [`NodeSpec`]s from closures.

mod body;
mod context;
mod gate;
mod inputs;
mod output;
mod param;
mod policy;
mod signature;
mod spec;
#[cfg(test)]
mod tests;

pub(crate) use body::{Body, BodyFuture};
pub use body::{IntoPrompt, LazyContext, Running, Started};
pub use context::IsContext;
pub use gate::{Answer, Asked, GateFns, GateParam, GateQuestion, Metadata, Text};
pub use inputs::{Inputs, MaybeOwned};
pub(crate) use inputs::{Token, Tokens};
pub(crate) use output::Emission;
pub use output::{Emitted, NamedOutput, NodeError, Output, Way};
pub use param::{Input, NamedParam, Param};
pub use policy::{Policy, PolicyProblem, Retry};
pub use signature::{FailureName, ParamRef, Shape, ShapeKind, Signature};
pub(crate) use signature::{ambiguous, contains};
pub(crate) use spec::{About, AgentNode, CatchSpec, EachNode, Name, NodeKind};
pub use spec::{AgentOutput, NodeSpec, specs};

/// What the node `Self` takes and returns. They are parameters and not associated types, so that a
/// `pub` node may have private states (E0446 otherwise).
#[doc(hidden)]
pub trait Node<I, O> {}

/// What the checks of a flow and its graph need to know of a node.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a node",
    label = "not a node",
    note = "a flow is made of functions with `#[node]`, `#[agent]`, `#[gate]` or `#[flow]`, and of structs with `#[agent]`"
)]
pub trait NodeInfo {
    const SIGNATURE: Signature;

    /// What is inside, if the node is a flow.
    const TOPOLOGY: Option<&'static crate::graph::Topology> = None;

    /// How to run the node.
    fn spec() -> NodeSpec;
}
