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
    pub(super) fn stored_state(&self) -> RunState {
        let mut state = self.state.clone();
        if let Some(inbox) = self.inbox() {
            state.inbox = inbox.queue();
        }
        state
    }

    /// Wakes the task at the next command. Returns whether there is one already.
    pub(super) fn listen(&self, task: &Task<'_>) -> bool {
        self.inbox().is_some_and(|inbox| inbox.listen(task.waker()))
    }

    fn published(&self) -> Published {
        Published {
            run_id: Arc::clone(self.state.id.get()),
            status: self.status(),
            open: self.open_questions(),
            listening: self.listening(),
        }
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
    pub(super) fn take_commands(&mut self, task: &Task<'_>) -> Taken {
        let Some(inbox) = self.inbox().map(Arc::clone) else {
            return Taken::Nothing;
        };
        inbox.look(task.waker());
        let (mut last, mut taken) = (None, Taken::Nothing);
        while let Some((number, command)) = inbox.after(last)
            && self.state.end.is_none()
        {
            last = Some(number);
            if let Command::Cancel { reason } = &*command {
                taken = Taken::Cancelled(self.start_cancel(reason.as_str().into()));
                inbox.take(number, Ok(self.state.steps));
            } else if let Some(result) = self.take_command(&inbox, number, &command) {
                inbox.take(number, result.map(|()| self.state.steps));
                taken = Taken::Something;
            }
        }
        if !matches!(taken, Taken::Nothing) {
            self.publish_status();
        }
        taken
    }

    /// What became of a command; `None` if it still waits.
    fn take_command(
        &mut self,
        inbox: &Inbox,
        number: u64,
        command: &Command,
    ) -> Option<Result<(), FlowError>> {
        match command {
            Command::Pause => self.set_paused(true),
            Command::Unpause => self.set_paused(false),
            Command::Reply { id, answer } => return self.take_reply(id, answer.clone()),
            Command::Emit {
                name,
                value,
                is_announced,
            } => {
                if !is_announced {
                    self.notify_run(|| EventKind::emitted(name, value.clone()));
                    let (name, value) = (name.clone(), value.clone());
                    let is_announced = true;
                    let announced = Command::Emit {
                        name,
                        value,
                        is_announced,
                    };
                    inbox.replace(number, announced);
                }
                let id = self.gate_waiting_for(name)?;
                return self.take_reply(&id, value.clone());
            }
            Command::Message { agent, text } => return self.take_message(agent, text),
            Command::MessageToNode { node, text } => {
                let found = self.agent_run_at(node);
                let agent = match found {
                    Ok(agent) => agent,
                    Err(error) => return Some(Err(error)),
                };
                let text = text.clone();
                let message = Command::Message { agent, text };
                inbox.replace(number, message.clone());
                return self.take_command(inbox, number, &message);
            }
            Command::Close { agent } => return self.take_close(agent),
            // It is taken by whoever can end the step.
            Command::Cancel { .. } => return None,
        }
        Some(Ok(()))
    }

    fn take_reply(&mut self, id: &str, answer: serde_json::Value) -> Option<Result<(), FlowError>> {
        match self.answer(id, answer) {
            // It is the caller of the run who is told.
            Err(FlowError::MaxSteps { .. }) => None,
            answered => Some(answered.map(drop)),
        }
    }

    /// The question of the gate that waits for an event of this name, the one asked first of several.
    fn gate_waiting_for(&self, name: &str) -> Option<Arc<str>> {
        let waits = |(id, question): &(&Arc<str>, &Question)| {
            let event = question.value.get("event");
            let is_named = event.and_then(serde_json::Value::as_str) == Some(name);
            is_named && self.is_of_gate(id)
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
