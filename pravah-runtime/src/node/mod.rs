//! Nodes: what they take, what they return, and how the engine runs them.
//!
//! The macros write impls of these traits; the builder makes the same [`NodeSpec`]s from closures.

mod body;
mod gate;
mod input;
mod inputs;
mod output;
mod param;
mod param_ref;
mod policy;
mod role;
mod signature;
mod spec;
#[cfg(test)]
mod tests;

pub(crate) use body::{Body, BodyFuture};
pub use body::{IntoPrompt, Running, Started};
pub use gate::{Answer, Asked, GateFns, GateQuestion, Metadata, Text};
pub use input::Input;
pub(crate) use input::{Consumed, ParamList};
pub use inputs::{Inputs, MaybeOwned};
pub(crate) use inputs::{LatestState, LatestStates, Token, Tokens};
pub(crate) use output::Emission;
pub use output::{Emitted, NamedOutput, NodeError, Output, Way};
pub use param::{GateParam, NamedParam, Param};
pub(crate) use param_ref::{DepRef, Need, ParamKind};
pub use param_ref::{ParamRef, consumed, slot_of};
pub use policy::{Policy, PolicyProblem, Retry};
pub(crate) use role::NotAnswered;
pub use role::{Known, Role, Split, UnknownAsks, answer_of, schema_of_answer};
pub use signature::{FailureName, Inside, Shape, ShapeKind, Signature, ToolRef};
pub(crate) use signature::{ambiguous, capabilities, contains};
pub(crate) use spec::{About, AgentNode, CatchSpec, EachNode, Name, NodeKind};
pub use spec::{AgentOutput, NodeSpec, specs};

/// What the node `Self` takes, as a list, and returns. They are parameters and not associated types, so that a
/// `pub` node may have private states (E0446 otherwise).
#[doc(hidden)]
pub trait Node<I, O> {}

/// What an attribute adds to a function, as one item, so that in an `impl` rustc refuses one and not each;
/// what it then says of it has no words of ours but the name of this macro.
#[doc(hidden)]
#[macro_export]
macro_rules! __pravah_function_outside_of_impl {
    ($visibility:vis $name:ident { $($fields:tt)* } $($others:tt)*) => {
        #[$crate::__private::beside($($others)*)]
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        $visibility struct $name<> { $($fields)* }
    };
}

/// What the checks of a flow and its graph need to know of a node.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a node",
    label = "not a node",
    note = "a flow is made of functions with `#[node]`, `#[agent]`, `#[gate]` or `#[flow]`, and of structs with `#[agent]`; its input goes to the first of them by itself"
)]
pub trait NodeInfo {
    const SIGNATURE: Signature;

    /// What is inside, if the node is a flow.
    const TOPOLOGY: Option<&'static crate::graph::Topology> = None;

    /// How to run the node.
    fn spec() -> NodeSpec;
}
