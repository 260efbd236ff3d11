//! What became of a command.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::sync::oneshot;

use crate::error::FlowError;

/// A command that was sent to a run. It need not be awaited: the command is in the inbox. Whoever awaits it in the
/// task that makes the steps of the run waits forever; there use the functions of the
/// [`FlowRuntime`](crate::FlowRuntime), such as [`answer`](crate::FlowRuntime::answer).
///
/// CallOutput, it is the number of steps that were committed when the run took the command.
///
/// # Errors
///
/// - [`FlowError::Finished`] or [`FlowError::Cancelled`] if the run ended before it took the command.
/// - [`FlowError::RunDropped`] if the run was dropped before it took the command. Snapshots that were taken
///   meanwhile have the command in them, and a run that is restored from one takes it.
/// - [`FlowError::InboxFull`] if too many commands wait already: this one was not sent.
/// - [`FlowError::SerializeError`] if its value cannot be written as JSON: it was not sent.
/// - What the function says that sent it.
pub struct Sent(State);

enum State {
    Waiting(oneshot::Receiver<Result<u64, FlowError>>),
    Refused(Option<FlowError>),
}

impl Sent {
    pub(super) fn waiting(receiver: oneshot::Receiver<Result<u64, FlowError>>) -> Self {
        Self(State::Waiting(receiver))
    }

    pub(super) fn refused(error: FlowError) -> Self {
        Self(State::Refused(Some(error)))
    }
}

impl Future for Sent {
    type Output = Result<u64, FlowError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        let taken = match &mut self.0 {
            State::Waiting(receiver) => ready!(Pin::new(receiver).poll(task)),
            State::Refused(error) => match error.take() {
                Some(error) => Ok(Err(error)),
                // It was said before.
                None => return Poll::Pending,
            },
        };
        self.0 = State::Refused(None);
        Poll::Ready(taken.unwrap_or(Err(FlowError::RunDropped)))
    }
}

impl fmt::Debug for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sent").finish_non_exhaustive()
    }
}
