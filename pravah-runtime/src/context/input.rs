//! The input of a flow, wherever in it.

use std::{fmt, ops::Deref, sync::Arc};

use super::Context;
use crate::{
    error::FlowError,
    node::IsState,
    state::{State, StateRef},
};

/// The input of the flow, or of the innermost one around it whose input is a `T`: what a node or a tool
/// asks for that needs it, however deep in the flow it is. It derefs to the input, which is shared and not
/// consumed.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Ticket { customer: String, text: String }
/// #[state] struct Verdict { urgent: bool }
/// #[state] struct Reply { text: String }
///
/// #[node] fn triage(ticket: &Ticket) -> Verdict { Verdict { urgent: ticket.text.contains('!') } }
/// #[node] fn answer(verdict: Verdict, ticket: Input<Ticket>) -> Reply {
///     let when = if verdict.urgent { "today" } else { "soon" };
///     Reply { text: format!("Dear {}, {when}.", ticket.customer) }
/// }
///
/// #[flow]
/// fn support(ticket: Ticket) -> Reply { flow! { triage -> answer } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
/// let ticket = Ticket { customer: "Ada".into(), text: "It burns!".into() };
/// assert_eq!(support(ticket, Context::default()).await?.text, "Dear Ada, today.");
/// # Ok(()) }
/// ```
///
/// A flow whose nodes take `Input<T>`, but whose own input is not `T`, only runs nested in one that starts with
/// `T`. Calling it, or its `start`, is an error of `cargo check`; `FlowRuntime::new` is one of `cargo build`:
///
/// ```compile_fail,E0080
/// # use pravah_runtime::prelude::*;
/// # #[state] struct Ticket { customer: String }
/// # #[state] struct Verdict { urgent: bool }
/// # #[state] struct Reply { text: String }
/// #[node] fn answer(_: Verdict, ticket: Input<Ticket>) -> Reply {
///     Reply { text: format!("Dear {}", ticket.customer) }
/// }
///
/// #[flow]
/// fn reply(verdict: Verdict) -> Reply { flow! { answer } }
///
/// let run = FlowRuntime::new(Verdict { urgent: true });
/// ```
pub struct Input<T>(Arc<T>);

impl<T> Input<T> {
    /// An input for a test that calls the function of a node.
    pub fn new(input: T) -> Self {
        Self(Arc::new(input))
    }

    /// The input, as the run shares it.
    pub fn into_arc(self) -> Arc<T> {
        self.0
    }
}

/// A state, of which [`Input`] asks whether a flow starts with it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a flow state, and no flow starts with it",
    label = "not a state",
    note = "write `#[state]` above its definition; `Input<_>` is the state that the flow, or one around it, takes"
)]
pub trait FlowInput: Sized {
    const STATE: StateRef;

    fn of(ctx: &Context) -> Result<Input<Self>, FlowError>;
}

#[diagnostic::do_not_recommend]
impl<T: State> FlowInput for T {
    const STATE: StateRef = <T as IsState>::REF;

    fn of(ctx: &Context) -> Result<Input<T>, FlowError> {
        ctx.input().map(Input)
    }
}

impl<T> Deref for Input<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Clone for Input<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: fmt::Debug> fmt::Debug for Input<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
