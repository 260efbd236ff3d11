//! A channel that is attached to a run: how its functions are called, and what becomes of their errors.

use std::{any::Any, future::Future, panic::AssertUnwindSafe, time::Duration};

use futures_util::{FutureExt as _, future::BoxFuture};
use tokio::time::timeout;

use super::Channel;
use crate::{
    cancel::CancelToken,
    error::{BoxError, MessageOf, panic_message, quietly},
    events::{Events, FlowEvent},
    hub::Hub,
};

/// A [`Channel`] of any type.
trait ErasedChannel: Send {
    fn on_start(&mut self, hub: Hub) -> BoxFuture<'_, Result<(), BoxError>>;
    fn on_event(&mut self, event: FlowEvent) -> BoxFuture<'_, Result<(), BoxError>>;
    fn on_complete(&mut self) -> BoxFuture<'_, Result<(), BoxError>>;
}

impl<C: Channel> ErasedChannel for C {
    fn on_start(&mut self, hub: Hub) -> BoxFuture<'_, Result<(), BoxError>> {
        Channel::on_start(self, hub).boxed()
    }

    fn on_event(&mut self, event: FlowEvent) -> BoxFuture<'_, Result<(), BoxError>> {
        Channel::on_event(self, event).boxed()
    }

    fn on_complete(&mut self) -> BoxFuture<'_, Result<(), BoxError>> {
        Channel::on_complete(self).boxed()
    }
}

/// A channel whose panics go nowhere. There is one until it is dropped.
struct QuietChannel(Option<Box<dyn ErasedChannel>>);

impl QuietChannel {
    /// What a function of the channel returned; a panic is an error.
    async fn call(
        &mut self,
        function: impl FnOnce(&mut dyn ErasedChannel) -> BoxFuture<'_, Result<(), BoxError>>,
    ) -> Result<(), BoxError> {
        let Some(channel) = &mut self.0 else {
            return Ok(());
        };
        AssertUnwindSafe(async { function(&mut **channel).await })
            .catch_unwind()
            .await
            .unwrap_or_else(|panic| Err(panicked(panic)))
    }
}

impl Drop for QuietChannel {
    fn drop(&mut self) {
        quietly(|| drop(self.0.take()));
    }
}

/// A channel that is to be attached, with what it says of itself.
pub(crate) struct NamedChannel {
    pub(crate) name: String,
    /// Whether the run makes no step without it.
    pub(crate) is_required: bool,
    wants_text: bool,
    channel: QuietChannel,
}

impl NamedChannel {
    pub(crate) fn new(channel: impl Channel, is_required: bool) -> Self {
        Self {
            name: channel.name().to_owned(),
            is_required,
            wants_text: channel.wants_text(),
            channel: QuietChannel(Some(Box::new(channel))),
        }
    }

    /// Starts the channel. It misses nothing that happens from now on.
    pub(crate) async fn start(mut self, hub: Hub) -> Result<StartedChannel, BoxError> {
        let events = match self.wants_text {
            true => hub.events_with_text(),
            false => hub.events(),
        };
        self.channel.call(|it| it.on_start(hub)).await?;
        Ok(StartedChannel {
            name: self.name,
            channel: self.channel,
            events,
        })
    }
}

/// A channel that has started, with the events that it has not taken.
pub(crate) struct StartedChannel {
    name: String,
    channel: QuietChannel,
    events: Events,
}

impl StartedChannel {
    /// Hands on events as they come, until the run has ended; once `is_over` is set, those that have come.
    pub(crate) async fn take_events(&mut self, is_over: &CancelToken) {
        while let Some(event) = self.events.next_until(is_over).await {
            let taken = self.channel.call(|it| it.on_event(event)).await;
            log(&self.name, taken);
        }
    }

    /// Tells the channel that no event follows.
    pub(crate) async fn complete(mut self) {
        let completed = self.channel.call(|it| it.on_complete()).await;
        log(&self.name, completed);
    }
}

/// What this returns, if it takes no longer than that.
pub(crate) async fn within<T>(
    limit: Duration,
    future: impl Future<Output = T>,
) -> Result<T, BoxError> {
    let late = |_| format!("it took longer than {limit:?}").into();
    timeout(limit, future).await.map_err(late)
}

/// The error of a channel that panicked.
pub(super) fn panicked(panic: Box<dyn Any + Send>) -> BoxError {
    format!("it panicked: {}", panic_message(panic)).into()
}

/// Logs what went wrong in a channel, if anything did.
pub(crate) fn log(name: &str, result: Result<(), BoxError>) {
    if let Err(error) = result {
        let message = message_of(error);
        tracing::warn!(target: "pravah", channel = name, error = message, "a channel failed");
    }
}

/// What an error of a channel says. It may panic when it is shown and when it is dropped.
pub(crate) fn message_of(error: BoxError) -> String {
    let message = MessageOf(&error).to_string();
    quietly(|| drop(error));
    message
}
