//! Taking the commands that hubs have sent.

use std::{sync::Arc, task::Context as Task};

use super::{
    clock::Sleep,
    run::Run,
    state::{End, RunState, progress::Question},
};
use crate::{
    error::FlowError,
    events::EventKind,
    graph::NodeKind,
    hub::{Closed, Command, Hub, Inbox, Published, RunInbox},
};

/// What the commands have changed.
pub(super) enum Taken {
    Nothing,
    Something,
    /// The run has ended; what is in flight has this long.
    Cancelled(Option<Sleep>),
}

/// What became of a command that the run looked at.
pub(super) enum CommandOutcome {
    Taken,
    Refused(FlowError),
    /// Nothing can take it yet.
    Waits,
}

impl Run {
    /// A handle to the run for other tasks.
    pub(super) fn hub(&mut self) -> Hub {
        Hub::new(match &self.options.inbox {
            Some(own) => Arc::clone(&own.0),
            None => self.open_inbox(),
        })
    }

    /// Opens the inbox, with the commands that were in the snapshot.
    pub(super) fn open_inbox(&mut self) -> Arc<Inbox> {
        if self.options.observers.is_empty() {
            self.start_notifying();
        }
        let queue = std::mem::take(&mut self.state.inbox);
        let events = self.options.observers.source();
        let inbox = Inbox::new(&queue, self.published(), events);
        self.options.inbox = Some(RunInbox(Arc::clone(&inbox)));
        self.close_inbox();
        inbox
    }

    fn inbox(&self) -> Option<&Arc<Inbox>> {
        self.options.inbox.as_ref().map(|own| &own.0)
    }

    /// Whether anybody may send commands.
    pub(super) fn has_inbox(&self) -> bool {
        self.options.inbox.is_some()
    }

    /// Whether somebody holds a hub.
    pub(super) fn has_hubs(&self) -> bool {
        self.inbox().is_some_and(|inbox| inbox.has_hubs())
    }

    /// What a snapshot has of the run.
    pub(super) fn stored_state(&self) -> Box<RunState> {
        let mut state = self.state.clone();
        if let Some(inbox) = self.inbox() {
            state.inbox = inbox.queue();
        }
        state
    }

    /// Whether there is a command that no step has looked at. Wakes the task at the next one.
    pub(super) fn has_new_command(&self, task: &Task<'_>) -> bool {
        self.inbox()
            .is_some_and(|inbox| inbox.has_new(task.waker()))
    }

    fn published(&self) -> Published {
        Published::new(self.status_unless_suspended(), self.state.clone())
    }

    /// Says on hubs where the run is, and that it has ended.
    pub(super) fn publish_status(&self) {
        if let Some(inbox) = self.inbox() {
            inbox.publish(self.published());
            self.close_inbox();
        }
    }

    fn close_inbox(&self) {
        let why = match &self.state.end {
            None => return,
            Some(End::Done(_)) => Closed::Finished,
            Some(End::Cancelled(reason)) => Closed::Cancelled(Arc::clone(reason)),
        };
        if let Some(inbox) = self.inbox() {
            inbox.close(&why);
        }
    }

    /// Takes the commands that wait, in their order, and wakes the task at the next one.
    #[inline]
    pub(super) fn take_commands(&mut self, task: &Task<'_>) -> Taken {
        match self.inbox().map(Arc::clone) {
            Some(inbox) => self.take_commands_slow(&inbox, task),
            None => Taken::Nothing,
        }
    }

    #[inline(never)]
    fn take_commands_slow(&mut self, inbox: &Arc<Inbox>, task: &Task<'_>) -> Taken {
        inbox.mark_seen(task.waker());
        let (mut last, mut taken, mut replies) = (None, Taken::Nothing, Vec::new());
        while let Some((number, command)) = inbox.after(last)
            && self.state.end.is_none()
        {
            last = Some(number);
            if let Command::Cancel { reason } = &*command {
                taken = self.cancelled_by(inbox, number, reason);
                break;
            }
            let result = match self.take_command(inbox, number, &command) {
                CommandOutcome::Waits => continue,
                CommandOutcome::Taken => Ok(self.state.steps),
                CommandOutcome::Refused(error) => Err(error),
            };
            taken = Taken::Something;
            replies.push((inbox.remove(number), result));
        }
        if let Taken::Something = taken {
            self.publish_status();
        }
        // Whoever waits for a command finds on the hub what came of it.
        for (sender, result) in replies {
            Inbox::reply(sender, result);
        }
        taken
    }

    /// Lets a command end the run. The others that wait learn why they are not taken.
    fn cancelled_by(&mut self, inbox: &Inbox, number: u64, reason: &str) -> Taken {
        let sender = inbox.remove(number);
        let grace = self.start_cancel(reason.into());
        Inbox::reply(sender, Ok(self.state.steps));
        Taken::Cancelled(grace)
    }

    fn take_command(&mut self, inbox: &Inbox, number: u64, command: &Command) -> CommandOutcome {
        match command {
            Command::Pause {} => self.set_paused(true),
            Command::Unpause {} => self.set_paused(false),
            Command::Reply { id, number, answer } => {
                let meant = number.map_or(Ok(()), |number| self.check_number(id, number));
                return match meant {
                    Ok(()) => self.take_reply(id, answer.clone()),
                    Err(error) => CommandOutcome::Refused(error),
                };
            }
            Command::Emit {
                name,
                value,
                is_announced,
            } => {
                if !is_announced {
                    self.notify_run(|| EventKind::emitted(name, value.clone()));
                    inbox.replace(number, command.announced());
                }
                return match self.gate_waiting_for(name) {
                    Some(id) => self.take_reply(&id, value.clone()),
                    None => CommandOutcome::Waits,
                };
            }
            Command::Message { agent, text } => return self.take_message(agent, text),
            Command::MessageToNode { node, text } => {
                let agent = match self.agent_run_at(node) {
                    Ok(agent) => agent,
                    Err(error) => return CommandOutcome::Refused(error),
                };
                let text = text.clone();
                let message = Command::Message { agent, text };
                inbox.replace(number, message.clone());
                return self.take_command(inbox, number, &message);
            }
            Command::Close { agent } => return self.take_close(agent),
            // It is taken by whoever can end the step.
            Command::Cancel { .. } => return CommandOutcome::Waits,
        }
        CommandOutcome::Taken
    }

    fn take_reply(&mut self, id: &str, answer: serde_json::Value) -> CommandOutcome {
        // Nobody awaits the step that takes it: a tool that cannot read it asks again.
        match self.answer(id, answer, false) {
            // The caller of the run gets this error.
            Err(FlowError::MaxSteps { .. }) => CommandOutcome::Waits,
            Err(error) => CommandOutcome::Refused(error),
            Ok(_) => CommandOutcome::Taken,
        }
    }

    /// The question of the gate that waits for an event of this name, the one asked first of several.
    fn gate_waiting_for(&self, name: &str) -> Option<Arc<str>> {
        let waits = |(id, question): &(&Arc<str>, &Question)| {
            question.event.as_deref() == Some(name) && self.is_of_gate(id)
        };
        let (id, _) = self.state.questions().find(waits)?;
        Some(Arc::clone(id))
    }

    fn is_of_gate(&self, id: &str) -> bool {
        self.state.question(id).is_some_and(|(frame, question)| {
            let entry = self.state.frame(frame).table.node(question.node);
            matches!(entry.kind, NodeKind::Gate(_))
        })
    }
}
