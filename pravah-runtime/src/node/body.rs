//! Running the function beneath a node.

use std::{future::Future, pin::Pin};

use super::{Emitted, Inputs};
use crate::{
    error::{BoxError, FlowError},
    model::Prompt,
};

/// A body that was started: done already, or a future to wait for.
#[doc(hidden)]
pub enum Running {
    Ready(Result<Emitted, BoxError>),
    Pending(BodyFuture),
}

/// A body that was started, or why it could not be. The error is boxed so that what is moved in
/// every step stays small.
pub type Started = Result<Running, Box<FlowError>>;

/// A body that awaits. It holds nothing of the run.
pub(crate) type BodyFuture = Pin<Box<dyn Future<Output = Result<Emitted, BoxError>> + Send>>;

impl Running {
    /// A body that awaits.
    pub fn later(future: impl Future<Output = Result<Emitted, BoxError>> + Send + 'static) -> Self {
        Self::Pending(Box::pin(future))
    }

    /// The same, whose output goes on as `emit` says. It costs a crate less to compile than a future of its own
    /// around each.
    pub fn emitting<F, G>(future: F, emit: G) -> Self
    where
        F: Future + Send + 'static,
        G: FnOnce(F::Output) -> Result<Emitted, BoxError> + Send + 'static,
    {
        Self::later(async move { emit(future.await) })
    }

    /// The same for a body that may fail. Both functions are pointers: if they were type parameters, rustc would report an
    /// output that is no state, or an error that cannot be boxed, a second time as a bound of this function.
    pub fn emitting_result<F, O, E>(
        future: F,
        emit: fn(O) -> Result<Emitted, BoxError>,
        boxed: fn(E) -> BoxError,
    ) -> Self
    where
        F: Future<Output = Result<O, E>> + Send + 'static,
        O: 'static,
        E: 'static,
    {
        Self::later(async move { emit(future.await.map_err(boxed)?) })
    }
}

/// Runs a function node. Inputs stay in the run until the outputs are in.
pub(crate) trait Body: Send + Sync {
    fn start(&self, inputs: &mut Inputs<'_>) -> Started;
}

impl<F> Body for F
where
    F: Fn(&mut Inputs<'_>) -> Started + Send + Sync,
{
    fn start(&self, inputs: &mut Inputs<'_>) -> Started {
        self(inputs)
    }
}

/// What the function of an agent returns: the prompt, or a `Result` of it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a prompt",
    label = "not a prompt",
    note = "the function of an agent returns the user prompt: a `String`, a `Prompt` with images and files, or a `Result` of either"
)]
pub trait IntoPrompt {
    fn into_prompt(self) -> Result<Prompt, BoxError>;
}

impl IntoPrompt for Prompt {
    fn into_prompt(self) -> Result<Prompt, BoxError> {
        Ok(self)
    }
}

impl IntoPrompt for String {
    fn into_prompt(self) -> Result<Prompt, BoxError> {
        Ok(self.into())
    }
}

impl IntoPrompt for &str {
    fn into_prompt(self) -> Result<Prompt, BoxError> {
        Ok(self.into())
    }
}

impl<P: IntoPrompt, E: super::NodeError> IntoPrompt for Result<P, E> {
    fn into_prompt(self) -> Result<Prompt, BoxError> {
        self.map_err(super::NodeError::boxed)?.into_prompt()
    }
}
