//! Reaching a run from outside while it goes on.
//!
//! A [`Hub`] puts each `command` in the `inbox` that it shares with the run, and hands out what is [`Sent`]. The
//! engine takes commands between two steps (`engine/commands`). `channels` are what people and other programs see of a
//! run, and send to it.

mod channels;
mod command;
mod inbox;
mod published;
mod sent;

use std::sync::Arc;

use serde::Serialize;

#[cfg(feature = "channels")]
pub use self::channels::{InvalidOrigin, WebListener, WebServer};
use self::channels::{NamedChannel, TIMEOUT, log, within};
pub use self::{
    channels::{Channel, Channels, Console},
    sent::Sent,
};
pub(crate) use self::{
    channels::{StartedChannels, message_of},
    command::Command,
    inbox::{Closed, Inbox, MAX_COMMANDS, Queue, RunInbox, is_overfull},
    published::Published,
};
use crate::{
    cancel::CancelToken,
    engine::{ListeningAgent, RunStatus, Suspension},
    error::FlowError,
    events::Events,
    json,
};

/// A handle to a run that another task, or any number of them, may hold: it says where the run is, has its
/// events and sends it commands. [`FlowRuntime::hub`](crate::FlowRuntime::hub) makes one.
///
/// A command is in the run's inbox once its function has returned, whether or not anybody awaits what that
/// returned; [`Sent`] says what became of it. The run takes commands in their order whenever it is stepped, and a
/// step that is being awaited wakes up for them: `cancel` ends it at once, and all others are taken before the next
/// commit. What the run has not taken yet is in its snapshot, and a restored run takes it.
///
/// ```
/// use pravah_runtime::prelude::*;
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
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
/// let mut run = FlowRuntime::new(Draft { text: "…".into() })?;
/// let hub = run.hub();
/// let mut questions = hub.events().only(["session:prompt"]);
/// let desk = tokio::spawn(async move {
///     questions.next().await;
///     hub.reply("approve", true).await
/// });
/// let out = run.serve(Context::default()).await?;
/// assert_eq!(out, RunOut::Done(Decided { published: true }));
/// assert_eq!(desk.await.unwrap()?, 1); // After the first step, which asked.
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Hub(Arc<Inbox>);

impl Hub {
    pub(crate) fn new(inbox: Arc<Inbox>) -> Self {
        inbox.add_hub();
        Self(inbox)
    }

    /// Where the run is, as of its last step or the last command that it took.
    pub fn status(&self) -> RunStatus {
        self.0.published().status()
    }

    /// The id of the run.
    pub fn run_id(&self) -> Arc<str> {
        Arc::clone(self.0.published().run_id())
    }

    /// The questions that are open, in the order in which they were asked, as of the last step or the last command
    /// that the run took; see [`FlowRuntime::suspensions`](crate::FlowRuntime::suspensions).
    pub fn suspensions(&self) -> Vec<Suspension> {
        self.0.suspensions()
    }

    /// Attaches a channel to the run, which need not be at its start: the channel starts when the future is first
    /// polled, and gets what happens from then on until the run has ended or is dropped. Let a task of its own await
    /// that. The future, if dropped, drops the channel.
    ///
    /// # Errors
    ///
    /// [`FlowError::Channel`] if the channel could not start within 5 seconds.
    pub async fn attach(&self, channel: impl Channel) -> Result<(), FlowError> {
        let channel = NamedChannel::new(channel, true);
        let name = channel.name.clone();
        let started = within(TIMEOUT, channel.start(self.clone())).await;
        let failed = |source| FlowError::Channel {
            channel: name.clone(),
            source,
        };
        let mut started = started.and_then(|it| it).map_err(failed)?;
        started.take_events(&CancelToken::default()).await;
        log(&name, within(TIMEOUT, started.complete()).await);
        Ok(())
    }

    /// What the run does from now on; see [`FlowRuntime::events`](crate::FlowRuntime::events).
    pub fn events(&self) -> Events {
        self.0.events.stream(false)
    }

    /// The same with [the text of models](crate::EventKind::AgentText) as it comes.
    pub fn events_with_text(&self) -> Events {
        self.0.events.stream(true)
    }

    /// Answers the question `id` with `answer`, as [`FlowRuntime::answer`](crate::FlowRuntime::answer) does. Where
    /// several answer one question, the first one counts. On a loop the same id is asked under again: where a person
    /// has seen the question, use [`reply_to`](Self::reply_to), so that an answer that comes late is not taken for
    /// the next one.
    ///
    /// # Errors
    ///
    /// Those of [`Sent`]; [`FlowError::UnexpectedResumption`], [`FlowError::ResumeMismatchError`] or
    /// [`FlowError::AlreadyAnswered`] if the question is not open when the run takes the answer;
    /// [`FlowError::ResumePayload`] if the answer is not what a gate or a review waits for. A tool that cannot read
    /// its answer asks again.
    #[doc(alias = "answer")]
    #[doc(alias = "respond")]
    #[doc(alias = "resume")]
    pub fn reply(&self, id: impl Into<String>, answer: impl Serialize) -> Sent {
        let (id, number) = (id.into(), None);
        self.send_with(answer, |answer| Command::Reply { id, number, answer })
    }

    /// The same for this very question, as [`suspensions`](Self::suspensions) has it.
    ///
    /// ```
    /// # use pravah_runtime::prelude::*;
    /// # #[state] struct Draft { text: String }
    /// # #[state] struct Decided { published: bool }
    /// # #[gate(prompt = "Publish this?")]
    /// # fn approve(_draft: &Draft, yes: bool) -> Decided { Decided { published: yes } }
    /// # #[flow]
    /// # fn publish(draft: Draft) -> Decided { flow! { approve } }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
    /// let mut run = FlowRuntime::new(Draft { text: "…".into() })?;
    /// run.run(Context::default()).await?;
    /// let hub = run.hub();
    /// let question = &hub.suspensions()[0];
    /// let (first, second) = (hub.reply_to(question, true), hub.reply_to(question, false));
    /// run.run(Context::default()).await?;
    /// assert!(first.await.is_ok());
    /// assert!(matches!(second.await, Err(FlowError::AlreadyAnswered { .. })));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`reply`](Self::reply), with [`FlowError::AlreadyAnswered`] also where another question has the id
    /// now.
    pub fn reply_to(&self, question: &Suspension, answer: impl Serialize) -> Sent {
        let (id, number) = (question.tool_id.clone(), Some(question.number));
        self.send_with(answer, |answer| Command::Reply { id, number, answer })
    }

    /// Emits an event of this name: whoever watches the run sees an [`Emitted`](crate::EventKind::Emitted), and
    /// the first open gate that [waits for it](macro@crate::gate) takes `value` as its answer. Where none does, it
    /// stays in the inbox for the next that will.
    ///
    /// # Errors
    ///
    /// Those of [`Sent`]; [`FlowError::ResumePayload`] if the value is not what the gate waits for.
    #[doc(alias = "publish")]
    #[doc(alias = "signal")]
    pub fn emit(&self, name: impl Into<String>, value: impl Serialize) -> Sent {
        let name = name.into();
        self.send_with(value, |value| Command::Emit {
            name,
            value,
            is_announced: false,
        })
    }

    /// Sends a message to a [multi-turn](crate::Turns) agent: to the agent run of this id, which is in
    /// [`EventKind::AgentStarted`](crate::EventKind::AgentStarted) and [`listening_agents`](Self::listening_agents). While the agent
    /// is at work the message waits for the end of its turn.
    ///
    /// # Errors
    ///
    /// Those of [`Sent`]; [`FlowError::NoAgentRun`] if no such agent run is at work and receives messages, or it ends
    /// before it has taken the message.
    pub fn send_to_agent(&self, agent_run: impl Into<String>, message: impl Into<String>) -> Sent {
        let (agent, text) = (agent_run.into(), message.into());
        self.send(Command::Message { agent, text })
    }

    /// Sends a message to the agent that is at work at this node: of several, in the items of a list, to the one
    /// that started last. From when the run looks at it the message is for that agent run alone.
    ///
    /// # Errors
    ///
    /// Those of [`send_to_agent`](Self::send_to_agent).
    pub fn send_to(&self, node: impl Into<String>, message: impl Into<String>) -> Sent {
        let (node, text) = (node.into(), message.into());
        self.send(Command::MessageToNode { node, text })
    }

    /// Lets the agent run of this id go on with its last answer, once it is not at work.
    ///
    /// # Errors
    ///
    /// Those of [`send_to_agent`](Self::send_to_agent).
    pub fn close_agent(&self, agent_run: impl Into<String>) -> Sent {
        let agent = agent_run.into();
        self.send(Command::Close { agent })
    }

    /// The agents that wait for a message, with their last answers, as of the last step.
    pub fn listening_agents(&self) -> Vec<ListeningAgent> {
        self.0.listening_agents()
    }

    /// Ends the run; see [`FlowRuntime::cancel`](crate::FlowRuntime::cancel).
    ///
    /// # Errors
    ///
    /// Those of [`Sent`].
    #[doc(alias = "abort")]
    #[doc(alias = "stop")]
    pub fn cancel(&self, reason: impl Into<String>) -> Sent {
        let reason = reason.into();
        self.send(Command::Cancel { reason })
    }

    /// Lets the run make no further step; see [`FlowRuntime::pause`](crate::FlowRuntime::pause).
    ///
    /// # Errors
    ///
    /// Those of [`Sent`].
    pub fn pause(&self) -> Sent {
        self.send(Command::Pause {})
    }

    /// Lets a run go on that was paused.
    ///
    /// # Errors
    ///
    /// Those of [`Sent`].
    #[doc(alias = "resume")]
    pub fn unpause(&self) -> Sent {
        self.send(Command::Unpause {})
    }

    fn send_with(
        &self,
        value: impl Serialize,
        command: impl FnOnce(serde_json::Value) -> Command,
    ) -> Sent {
        match serde_json::to_value(value) {
            Ok(value) => self.send(command(value)),
            Err(error) => Sent::refused(FlowError::SerializeError(error.into())),
        }
    }

    /// Sends a command, unless its value is one that a snapshot or a type could not read again.
    fn send(&self, command: Command) -> Sent {
        match command.payload().map_or(Ok(()), json::check) {
            Ok(()) => self.0.send(command),
            Err(unfit) => {
                let why = format!("a value that is {unfit}");
                Sent::refused(FlowError::SerializeError(why.into()))
            }
        }
    }
}

impl Clone for Hub {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.0))
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.0.remove_hub();
    }
}
