//! From the inbox of the store to that of the run.
//!
//! A run keeps what its hub has sent in its snapshot. So a command that was handed over is removed from the store in the
//! commit that follows: either both happen, or neither.

use std::{
    collections::{BTreeMap, BTreeSet},
    pin::Pin,
    task::{Context, Poll, Waker},
};

use pravah_runtime::{Changes, FlowError, Hub, Sent, Suspension};
use serde_json::Value;

use crate::{Command, Commit, InboxRow, Refusal, Status};

/// The commands of one run that no commit has removed.
pub(super) struct Inbox {
    /// What was not handed over: answers to questions that are not asked yet.
    waiting: BTreeMap<u64, Command>,
    /// What was handed over since the last commit.
    sent: Vec<(u64, Command, Sent)>,
    refused: Vec<Refusal>,
    /// The number of the last command that was read from the store.
    pub(super) seen: u64,
}

impl Inbox {
    pub(super) fn new(rows: Vec<InboxRow>) -> Self {
        let mut inbox = Self {
            waiting: BTreeMap::new(),
            sent: Vec::new(),
            refused: Vec::new(),
            seen: 0,
        };
        inbox.add(rows);
        inbox
    }

    pub(super) fn add(&mut self, rows: Vec<InboxRow>) {
        for row in rows {
            self.seen = self.seen.max(row.number);
            self.waiting.insert(row.number, row.command);
        }
    }

    /// The commit that cancels a run which cannot be read, if it is to be cancelled.
    pub(super) fn cancel_unread(&self) -> Option<Commit> {
        let (number, reason) = self
            .waiting
            .iter()
            .find_map(|(number, command)| match command {
                Command::Cancel { reason } => Some((*number, reason)),
                _ => None,
            })?;
        let mut commit = Commit::new(Changes::default(), Status::Cancelled);
        commit.taken = vec![number];
        commit.error = Some(reason.clone());
        commit.seen = self.seen;
        commit.release = true;
        Some(commit)
    }

    /// Hands over what the run can take now. Returns whether there was anything.
    pub(super) fn deliver(&mut self, hub: &Hub) -> bool {
        let open = hub.suspensions();
        // An answer that was handed over closes its question in the next step.
        let mut answered = self.answered();
        let mut is_any = false;
        for (number, command) in std::mem::take(&mut self.waiting) {
            match send(hub, &command, &open, &mut answered) {
                Delivery::Sent(sent) => self.sent.push((number, command, sent)),
                Delivery::Waits => {
                    self.waiting.insert(number, command);
                    continue;
                }
                Delivery::Refused(error) => self.refused.push(Refusal::new(number, error)),
            }
            is_any = true;
        }
        is_any
    }

    /// The numbers of the questions that are being answered.
    fn answered(&self) -> BTreeSet<u64> {
        let sent = self.sent.iter();
        sent.filter_map(|(_, command, _)| match command {
            Command::Answer { number, .. } => *number,
            _ => None,
        })
        .collect()
    }

    /// What the next commit removes: what was taken, or is in the run's snapshot now, and what was refused.
    pub(super) fn settle(&mut self) -> Settled {
        let mut settled = Settled {
            taken: Vec::new(),
            refused: std::mem::take(&mut self.refused),
            is_pending: false,
        };
        for (number, command, mut sent) in std::mem::take(&mut self.sent) {
            match Pin::new(&mut sent).poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(Ok(_)) => settled.taken.push(number),
                Poll::Pending => {
                    settled.taken.push(number);
                    settled.is_pending = true;
                }
                // The run has room for it once it has taken others.
                Poll::Ready(Err(FlowError::InboxFull { .. })) => {
                    self.waiting.insert(number, command);
                }
                Poll::Ready(Err(error)) => {
                    let error = error.to_string();
                    settled.refused.push(Refusal::new(number, error));
                }
            }
        }
        settled
    }
}

/// What became of the commands that were handed over.
pub(super) struct Settled {
    pub(super) taken: Vec<u64>,
    pub(super) refused: Vec<Refusal>,
    /// Whether the run has not looked at one of them.
    pub(super) is_pending: bool,
}

enum Delivery {
    Sent(Sent),
    Waits,
    Refused(String),
}

fn send(
    hub: &Hub,
    command: &Command,
    open: &[Suspension],
    answered: &mut BTreeSet<u64>,
) -> Delivery {
    Delivery::Sent(match command {
        Command::Answer { id, number, answer } => {
            return send_answer(hub, (id, *number), answer, open, answered);
        }
        Command::Emit { name, value } => hub.emit(name, value),
        Command::Message { node, text } => hub.send_to(node, text),
        Command::Pause => hub.pause(),
        Command::Unpause => hub.unpause(),
        Command::Cancel { reason } => hub.cancel(reason),
    })
}

/// Sends an answer to the question that is meant: by its number, or the first of its id that has no answer.
fn send_answer(
    hub: &Hub,
    (id, number): (&str, Option<u64>),
    answer: &Value,
    open: &[Suspension],
    answered: &mut BTreeSet<u64>,
) -> Delivery {
    let is_meant = |question: &&Suspension| match number {
        Some(number) => question.number == number,
        None => question.tool_id == id && !answered.contains(&question.number),
    };
    match (open.iter().find(is_meant), number) {
        (Some(question), _) => {
            answered.insert(question.number);
            Delivery::Sent(hub.reply_to(question, answer))
        }
        (None, Some(_)) => Delivery::Refused(format!("the question `{id}` is not open any more")),
        (None, None) => Delivery::Waits,
    }
}
