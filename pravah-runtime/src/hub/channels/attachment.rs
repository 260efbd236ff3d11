//! A channel that is attached to a run: what it is called with, and what becomes of its errors.

use std::{any::Any, panic::AssertUnwindSafe, pin::pin, time::Duration};

use futures_util::{
    FutureExt as _,
    future::{BoxFuture, Either, select},
};
use tokio::time::timeout;

use super::Channel;
use crate::{
    cancel::CancelToken,
    error::{BoxError, panic_message},
    events::{EventKind, Events, FlowEvent},
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

/// A channel with what it says of itself.
pub(crate) struct NamedChannel {
    pub(crate) name: String,
    wants_text: bool,
    channel: Box<dyn ErasedChannel>,
}

impl NamedChannel {
    pub(crate) fn new(channel: impl Channel) -> Self {
        Self {
            name: channel.name().to_owned(),
            wants_text: channel.wants_text(),
            channel: Box::new(channel),
        }
    }
}

/// A channel that has started, with the events that it has not taken.
pub(crate) struct Attachment {
    name: String,
    channel: Box<dyn ErasedChannel>,
    events: Events,
}

impl Attachment {
    /// Starts a channel. It misses nothing that happens from now on.
    pub(crate) async fn start(channel: NamedChannel, hub: &Hub) -> Result<Self, BoxError> {
        let NamedChannel {
            name,
            wants_text,
            mut channel,
        } = channel;
        let events = match wants_text {
            true => hub.events_with_text(),
            false => hub.events(),
        };
        caught(|| channel.on_start(hub.clone())).await?;
        Ok(Self {
            name,
            channel,
            events,
        })
    }

    /// Hands on events as they come, until the run has ended; once `is_over` is set, those that have come.
    pub(crate) async fn take_events(&mut self, is_over: &CancelToken) {
        while let Some(event) = self.next(is_over).await {
            let is_last = matches!(event.kind, EventKind::RunEnded { .. });
            let taken = caught(|| self.channel.on_event(event)).await;
            log(&self.name, taken);
            if is_last {
                return;
            }
        }
    }

    async fn next(&mut self, is_over: &CancelToken) -> Option<FlowEvent> {
        let is_over = pin!(is_over.cancelled());
        if let Either::Left((event, _)) = select(pin!(self.events.next()), is_over).await {
            return event;
        }
        self.events.next().now_or_never().flatten()
    }

    /// Tells the channel that no event follows, and waits so long for it.
    pub(crate) async fn complete(mut self, limit: Duration) {
        let completed = timeout(limit, caught(|| self.channel.on_complete())).await;
        let completed = completed.unwrap_or_else(|late| Err(late.into()));
        log(&self.name, completed);
    }
}

/// What the function of a channel returned; a panic is an error.
async fn caught<'a>(
    call: impl FnOnce() -> BoxFuture<'a, Result<(), BoxError>>,
) -> Result<(), BoxError> {
    let panicked = |panic: Box<dyn Any + Send>| {
        let message = panic_message(panic);
        Err(format!("it panicked: {message}").into())
    };
    AssertUnwindSafe(async { call().await })
        .catch_unwind()
        .await
        .unwrap_or_else(panicked)
}

fn log(name: &str, result: Result<(), BoxError>) {
    if let Err(error) = result {
        tracing::warn!(target: "pravah", channel = name, error = %error, "a channel failed");
    }
}
