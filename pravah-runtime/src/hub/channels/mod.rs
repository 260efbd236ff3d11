//! Channels: what shows a run to people and programs while it goes on, and sends what they say to it through its
//! [`Hub`].

mod console;
mod started;
mod task;
#[cfg(feature = "channels")]
mod web;

use std::{
    future::{Future, ready},
    time::Duration,
};

pub use self::console::Console;
pub(super) use self::started::{log, within};
#[cfg(feature = "channels")]
pub use self::web::{InvalidOrigin, WebListener, WebServer};
pub(crate) use self::{
    started::{NamedChannel, message_of},
    task::StartedChannels,
};
use crate::{error::BoxError, events::FlowEvent, hub::Hub};

/// Shows a run to somebody while it goes on, and may answer its questions: a terminal, a chat, a web page.
///
/// [`FlowRuntime::serve_with`](crate::FlowRuntime::serve_with) attaches channels to a run before its first step,
/// [`Hub::attach`] one at any time. Each has a queue of its own, of at most 1,024 events: one that is slow, fails or
/// panics disturbs neither the run nor the others. An error that a function returns is logged with `tracing`, and the
/// channel goes on with the next event.
///
/// With `serve_with` it has a task of its own. Its functions should await all the same, and not block the thread: one
/// that blocks keeps the thread from all other tasks, and where the runtime has no other thread the run stops with it.
///
/// ```
/// use pravah_runtime::{BoxError, Channel, Channels, EventKind, FlowEvent, Hub, prelude::*};
///
/// #[state] struct Draft { text: String }
/// #[state] #[derive(Debug, PartialEq)] struct Decided { published: bool }
///
/// #[gate(prompt = "Publish this?")]
/// fn approve(_draft: &Draft, yes: bool) -> Decided { Decided { published: yes } }
///
/// #[flow]
/// fn publish(draft: Draft) -> Decided { flow! { approve } }
///
/// /// Says yes to everything.
/// #[derive(Default)]
/// struct Yes(Option<Hub>);
///
/// impl Channel for Yes {
///     fn name(&self) -> &str { "yes" }
///
///     async fn on_start(&mut self, hub: Hub) -> Result<(), BoxError> {
///         self.0 = Some(hub);
///         Ok(())
///     }
///
///     async fn on_event(&mut self, event: FlowEvent) -> Result<(), BoxError> {
///         if let (EventKind::QuestionAsked { id, .. }, Some(hub)) = (event.kind, &self.0) {
///             hub.reply(id, true).await?;
///         }
///         Ok(())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
/// let mut run = FlowRuntime::new(Draft { text: "…".into() })?;
/// let out = run.serve_with(Context::default(), Channels::new().with(Yes::default())).await?;
/// assert_eq!(out, RunOut::Done(Decided { published: true }));
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a channel",
    label = "does not implement `Channel`",
    note = "a `WebServer` makes a channel for each run: `server.channel()`; of `Channels`, which `serve_with` takes, attach each one by itself",
    note = "a type of yours is one with `impl pravah_runtime::Channel`, whose functions are `async fn`s"
)]
pub trait Channel: Send + 'static {
    /// What errors and logs call it.
    fn name(&self) -> &str;

    /// Whether it wants [the text of models](crate::EventKind::AgentText) as it comes. Only then are models asked for a
    /// stream.
    fn wants_text(&self) -> bool {
        false
    }

    /// It is attached to the run of this hub. The run makes no step before this is done, or takes longer than
    /// [`Channels::with_timeout`] says.
    ///
    /// Do not await a command here: the run takes it once all channels have started.
    ///
    /// # Errors
    ///
    /// Whatever keeps it from working: it gets no event then.
    fn on_start(&mut self, hub: Hub) -> impl Future<Output = Result<(), BoxError>> + Send {
        drop(hub);
        ready(Ok(()))
    }

    /// Something has happened. The next event waits until this is done, and the run does not.
    ///
    /// # Errors
    ///
    /// Whatever went wrong; it is logged.
    fn on_event(&mut self, event: FlowEvent) -> impl Future<Output = Result<(), BoxError>> + Send;

    /// No event follows.
    ///
    /// # Errors
    ///
    /// Whatever went wrong; it is logged.
    fn on_complete(&mut self) -> impl Future<Output = Result<(), BoxError>> + Send {
        ready(Ok(()))
    }
}

/// How long a channel has for its start and for its end, unless set.
pub(super) const TIMEOUT: Duration = Duration::from_secs(5);

/// The channels of a run, in the order in which they start; see
/// [`FlowRuntime::serve_with`](crate::FlowRuntime::serve_with).
#[must_use]
pub struct Channels {
    pub(crate) channels: Vec<NamedChannel>,
    pub(crate) timeout: Duration,
}

impl Channels {
    /// None yet.
    pub fn new() -> Self {
        Self {
            channels: Vec::new(),
            timeout: TIMEOUT,
        }
    }

    /// The same with a further channel. If it cannot start in time, the run goes on without it, and others receive a
    /// [`ChannelFailed`](crate::EventKind::ChannelFailed).
    pub fn with(self, channel: impl Channel) -> Self {
        self.push(channel, false)
    }

    /// The same with a channel without which the run makes no step.
    pub fn with_required(self, channel: impl Channel) -> Self {
        self.push(channel, true)
    }

    /// How long each channel has for its [`on_start`](Channel::on_start), all of them to take the last events, and
    /// then each for its [`on_complete`](Channel::on_complete): 5 seconds unless set.
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    fn push(mut self, channel: impl Channel, is_required: bool) -> Self {
        self.channels.push(NamedChannel::new(channel, is_required));
        self
    }
}

impl Default for Channels {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Channels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.channels.iter().map(|it| &it.name);
        f.debug_list().entries(names).finish()
    }
}
