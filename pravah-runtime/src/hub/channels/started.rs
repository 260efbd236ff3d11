//! A channel that is attached to a run: how its functions are called, and what becomes of their errors.

use std::{any::Any, panic::AssertUnwindSafe, pin::pin, time::Duration};

use futures_util::{
    FutureExt as _,
    future::{BoxFuture, Either, select},
};
use tokio::{task::unconstrained, time::timeout};

use super::Channel;
use crate::{
    cancel::CancelToken,
    error::{BoxError, panic_message},
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

/// A channel that is to be attached, with what it says of itself.
pub(crate) struct NamedChannel {
    pub(crate) name: String,
    /// Whether the run makes no step without it.
    pub(crate) is_required: bool,
    wants_text: bool,
    channel: Box<dyn ErasedChannel>,
}

impl NamedChannel {
    pub(crate) fn new(channel: impl Channel, is_required: bool) -> Self {
        Self {
            name: channel.name().to_owned(),
            is_required,
            wants_text: channel.wants_text(),
            channel: Box::new(channel),
        }
    }

    /// Starts the channel, which has so long for that. It misses nothing that happens from now on.
    pub(crate) async fn start(
        mut self,
        hub: &Hub,
        limit: Duration,
    ) -> Result<StartedChannel, BoxError> {
        let events = match self.wants_text {
            true => hub.events_with_text(),
            false => hub.events(),
        };
        within(limit, || self.channel.on_start(hub.clone())).await?;
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
    channel: Box<dyn ErasedChannel>,
    events: Events,
}

impl StartedChannel {
    /// Hands on events as they come, until the run has ended; once `is_over` is set, those that have come.
    pub(crate) async fn take_events(&mut self, is_over: &CancelToken) {
        while let Some(event) = self.next(is_over).await {
            let taken = caught(|| self.channel.on_event(event)).await;
            log(&self.name, taken);
        }
    }

    async fn next(&mut self, is_over: &CancelToken) -> Option<FlowEvent> {
        let is_over = pin!(is_over.cancelled());
        if let Either::Left((event, _)) = select(pin!(self.events.next()), is_over).await {
            return event;
        }
        // A task that has used up its budget would see no event although there are some.
        unconstrained(self.events.next()).now_or_never().flatten()
    }

    /// Tells the channel that no event follows, and waits so long for it.
    pub(crate) async fn complete(mut self, limit: Duration) {
        let completed = within(limit, || self.channel.on_complete()).await;
        log(&self.name, completed);
    }
}

/// What the function of a channel returned, if it took no longer than that.
async fn within<'a>(
    limit: Duration,
    call: impl FnOnce() -> BoxFuture<'a, Result<(), BoxError>>,
) -> Result<(), BoxError> {
    let late = |_| Err(format!("it took longer than {limit:?}").into());
    timeout(limit, caught(call)).await.unwrap_or_else(late)
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
