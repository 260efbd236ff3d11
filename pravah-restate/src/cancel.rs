//! Cancels a run while a step of it is running, with a signal of Restate to the invocation of the step, in whichever process
//! that is.

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    task::Poll,
};

use restate_sdk::errors::TerminalError;
use tokio::sync::oneshot;

use crate::invocation::Invocation;

const NAME: &str = "cancel";

/// The signal that cancels the step of an invocation.
pub(crate) struct CancelSignal {
    signal: Pin<Box<dyn Future<Output = Result<Vec<u8>, TerminalError>> + Send>>,
    /// Its reason, once it has come.
    reason: Option<String>,
    /// Who is to be told. It is gone when the step has ended.
    sender: Option<oneshot::Sender<String>>,
}

impl CancelSignal {
    /// That of the invocation whose call this is.
    pub(crate) fn new(call: &Invocation<'_>) -> Self {
        Self {
            signal: Box::pin(call.signal(NAME)),
            reason: None,
            sender: None,
        }
    }

    /// Sends it to the invocation of this id.
    pub(crate) fn send(call: &Invocation<'_>, invocation: &str, reason: &str) {
        call.send_signal(invocation, NAME, reason);
    }

    /// What a step hears of it.
    pub(crate) fn receiver(&mut self) -> oneshot::Receiver<String> {
        let (sender, receiver) = oneshot::channel();
        match &self.reason {
            // Whoever waits for it is there.
            Some(reason) => drop(sender.send(reason.clone())),
            None => self.sender = Some(sender),
        }
        receiver
    }

    /// Waits for a step, and tells it when the signal comes.
    ///
    /// What becomes of the run is in the result of the step, which is journaled. So it does not matter when the signal comes
    /// in another attempt.
    pub(crate) async fn watch<T>(&mut self, step: impl Future<Output = T>) -> T {
        let mut step = pin!(step);
        poll_fn(|cx| {
            loop {
                // First the step, which reads the journal.
                if let Poll::Ready(result) = step.as_mut().poll(cx) {
                    return Poll::Ready(result);
                }
                // Both read from the same stream. The receiver is dropped when the step has ended: from then on what
                // comes is for the step.
                let Some(sender) = self.sender.take_if(|sender| !sender.is_closed()) else {
                    return Poll::Pending;
                };
                let Poll::Ready(signal) = self.signal.as_mut().poll(cx) else {
                    self.sender = Some(sender);
                    return Poll::Pending;
                };
                let reason = match signal {
                    Ok(reason) => String::from_utf8_lossy(&reason).into_owned(),
                    Err(error) => error.message().to_owned(),
                };
                // The step may have ended meanwhile.
                let _ = sender.send(reason.clone());
                self.reason = Some(reason);
            }
        })
        .await
    }
}
