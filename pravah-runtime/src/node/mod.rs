//! Nodes: what they take, what they return, and how the engine runs them.
//!
//! The macros write impls of these traits; `graph` makes the nodes of a flow of them.

mod agent_output;
mod body;
mod failure;
mod gate;
mod input;
mod inputs;
mod invoke;
mod output;
mod param;
mod policy;
mod role;
mod state;
mod task_result;
mod tasks;

pub use agent_output::{AgentOutput, StateOfAgent};
pub(crate) use body::{Body, BodyFuture};
pub use body::{IntoPrompt, Running, Started};
pub use failure::{Failure, FailureKind};
#[cfg(feature = "documents")]
pub(crate) use gate::AskResult;
pub(crate) use gate::GateBody;
pub use gate::{Answer, Asked, GateFns, GateQuestion, Metadata, Text};
pub use input::Input;
pub(crate) use input::{Consumed, ParamList};
pub use inputs::{InputResult, Inputs, MaybeOwned};
pub(crate) use inputs::{LatestState, LatestStates, Token, Tokens};
pub(crate) use invoke::{FirstState, NodeCall, NodeCalls};
pub use invoke::{Invoke, InvokeAgent};
pub(crate) use output::Emission;
pub use output::{Emit, Emitted, HasBranch, InvokeOutput, NamedOutput, NodeError, Output};
pub use param::{ErrorParam, GateParam, NamedParam, Param, Receive, ResumedParam, TextParam};
pub use policy::{Policy, PolicyProblem, Retry};
pub(crate) use role::NotAnswered;
pub use role::{Known, Role, Split, UnknownAsks, answer_of, schema_of_answer};
pub use state::{IsState, OneState, Refused};
pub use task_result::TaskResult;
pub use tasks::Tasks;

/// What the node `Self` takes, as a list, and returns. They are parameters and not associated types, so that a
/// `pub` node may have private states (E0446 otherwise).
#[doc(hidden)]
pub trait Node<I, O> {}

/// What an attribute adds to a function, as one item, so that in an `impl` rustc refuses one and not each;
/// what it then says of it has no words of ours but the name of this macro.
#[doc(hidden)]
#[macro_export]
macro_rules! __pravah_for_functions_outside_of_impl_and_trait {
    // A node, with the check of its signature: rustc expands this faster than it reads the same tokens from a
    // procedural macro.
    ($visibility:vis $name:ident {} check { $($check:tt)* } $($others:tt)*) => {
        #[$crate::__private::beside(
            $($others)*

            const _: () = {
                use $crate::__private::{
                    NodeInfo as __PravahNodeInfo, check_signature as __pravah_check_signature,
                };
                $($check)*
            };
        )]
        #[doc(hidden)]
        #[allow(dead_code, non_camel_case_types)]
        $visibility struct $name<> {}
    };
    ($visibility:vis $name:ident { $($fields:tt)* } $($others:tt)*) => {
        #[$crate::__private::beside($($others)*)]
        #[doc(hidden)]
        #[allow(dead_code, non_camel_case_types)]
        $visibility struct $name<> { $($fields)* }
    };
}
