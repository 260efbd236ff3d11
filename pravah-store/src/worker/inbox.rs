//! From the inbox of the store to that of the run.
//!
//! A run keeps what its hub has sent in its snapshot. So a command that was handed over is removed from the store in the
//! commit that follows: either both happen, or neither.

use std::{
    collections::{BTreeMap, BTreeSet},
    pin::Pin,
    task::{Context, Poll, Waker},
};

use pravah_runtime::{Changes, Entries, FlowError, Hub, Sent, Suspension};

use crate::{Command, Commit, InboxRow, Refusal, Status};

/// The commands of one run that no commit has removed.
pub(super) struct Inbox {
    /// What was not handed over, such as answers to questions that are not asked yet.
    waiting: BTreeMap<u64, Command>,
    /// What was handed over since the last commit.
    handed_over: Vec<HandedOver>,
    refused: Vec<Refusal>,
    /// The numbers of the questions whose answers were handed over.
    answered: BTreeSet<u64>,
    /// Whether the run has looked at what was in its snapshot, with which its questions may be answered.
    has_stepped: bool,
    /// The number of the last command that was read from the store.
    pub(super) seen: u64,
}

struct HandedOver {
    number: u64,
    command: Command,
    /// The number of the question that it answers.
    question: Option<u64>,
    sent: Sent,
}

/// Who takes a command.
enum Target<'a> {
    Run,
    Question(&'a Suspension),
    /// The question that is meant is not open any more.
    Over,
    /// The question that is meant was not asked yet.
    NotYet,
}

/// The results of the commands that were handed over.
pub(super) struct Settled {
    pub(super) taken: Vec<u64>,
    pub(super) refused: Vec<Refusal>,
    /// Whether the run has not looked at one of them.
    pub(super) is_pending: bool,
    /// Whether the run had no room for one of them.
    pub(super) is_full: bool,
}

/// The keys of the commands that a run has in its snapshot: it has taken them over, and not executed them yet.
pub(super) struct SnapshotCommands(BTreeSet<String>);

/// Where they are among the entries of a run.
const INBOX: &str = "/inbox";

impl SnapshotCommands {
    pub(super) fn of(entries: &Entries) -> Self {
        let keys = entries.iter().map(|(key, _)| key);
        Self(
            keys.filter(|key| is_command(key))
                .map(str::to_owned)
                .collect(),
        )
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Brings them up to date.
    pub(super) fn apply(&mut self, changes: &Changes) {
        for deleted in changes.deleted() {
            self.0.retain(|key| {
                let rest = key.strip_prefix(deleted);
                !rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            });
        }
        let put = changes.put().map(|(key, _)| key);
        self.0
            .extend(put.filter(|key| is_command(key)).map(str::to_owned));
    }
}

fn is_command(key: &str) -> bool {
    let rest = key.strip_prefix(INBOX);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Inbox {
    pub(super) fn new(rows: Vec<InboxRow>) -> Self {
        let mut inbox = Self {
            waiting: BTreeMap::new(),
            handed_over: Vec::new(),
            refused: Vec::new(),
            answered: BTreeSet::new(),
            has_stepped: false,
            seen: 0,
        };
        inbox.add(rows);
        inbox
    }

    pub(super) fn add(&mut self, rows: Vec<InboxRow>) {
        for row in rows {
            self.seen = self.seen.max(row.number);
            match row.error {
                Some(error) => self.refused.push(Refusal::new(row.number, error)),
                None => drop(self.waiting.insert(row.number, row.command)),
            }
        }
    }

    /// Whether nothing was handed over or refused that is not settled.
    pub(super) fn is_settled(&self) -> bool {
        self.handed_over.is_empty() && self.refused.is_empty()
    }

    /// Notes that the run has executed a step in this process.
    pub(super) fn note_step(&mut self) {
        self.has_stepped = true;
    }

    /// The commit that cancels a run which cannot be read, if it is to be cancelled.
    pub(super) fn cancel_unread(&self) -> Option<Commit> {
        let mut waiting = self.waiting.iter();
        let (number, reason) = waiting.find_map(|(number, command)| match command {
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

    /// Whether there is something that the run can take now.
    pub(super) fn has_deliverable(&self, hub: &Hub) -> bool {
        if self.waiting.is_empty() {
            return false;
        }
        let open = hub.suspensions();
        let mut waiting = self.waiting.values();
        waiting.any(|command| !matches!(self.target(command, &open), Target::NotYet))
    }

    /// Hands over what the run can take now.
    pub(super) fn deliver(&mut self, hub: &Hub) {
        if self.waiting.is_empty() {
            return;
        }
        let open = hub.suspensions();
        for (number, command) in std::mem::take(&mut self.waiting) {
            let (question, sent) = match self.target(&command, &open) {
                Target::Run => (None, send(hub, &command)),
                Target::Question(question) => {
                    self.answered.insert(question.number);
                    (Some(question.number), reply(hub, question, &command))
                }
                Target::Over => {
                    let error = "its question is not open any more";
                    self.refused.push(Refusal::new(number, error));
                    continue;
                }
                Target::NotYet => (None, None),
            };
            let Some(sent) = sent else {
                self.waiting.insert(number, command);
                continue;
            };
            self.handed_over.push(HandedOver {
                number,
                command,
                question,
                sent,
            });
        }
    }

    /// Who takes a command, while these questions are open.
    fn target<'a>(&self, command: &Command, open: &'a [Suspension]) -> Target<'a> {
        let Command::Answer { id, number, .. } = command else {
            return Target::Run;
        };
        let is_meant = |question: &&Suspension| match number {
            Some(number) => question.number == *number,
            None => question.tool_id == *id && !self.answered.contains(&question.number),
        };
        match (open.iter().find(is_meant), number) {
            (None, Some(_)) => Target::Over,
            (None, None) => Target::NotYet,
            // The answer to this one may be in the snapshot.
            (Some(_), None) if !self.has_stepped => Target::NotYet,
            (Some(question), _) => Target::Question(question),
        }
    }

    /// What the next commit removes: what was taken, or is in the run's snapshot now, and what was refused.
    pub(super) fn settle(&mut self) -> Settled {
        let mut settled = Settled {
            taken: Vec::new(),
            refused: std::mem::take(&mut self.refused),
            is_pending: false,
            is_full: false,
        };
        for mut it in std::mem::take(&mut self.handed_over) {
            let number = it.number;
            match Pin::new(&mut it.sent).poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(Ok(_)) => settled.taken.push(number),
                Poll::Pending => {
                    settled.taken.push(number);
                    settled.is_pending = true;
                }
                Poll::Ready(Err(error)) => {
                    it.question.map(|question| self.answered.remove(&question));
                    match error {
                        // The run has room for it once it has taken others.
                        FlowError::InboxFull { .. } => {
                            settled.is_full = true;
                            self.waiting.insert(number, it.command);
                        }
                        error => settled
                            .refused
                            .push(Refusal::new(number, error.to_string())),
                    }
                }
            }
        }
        settled
    }
}

fn reply(hub: &Hub, question: &Suspension, command: &Command) -> Option<Sent> {
    match command {
        Command::Answer { answer, .. } => Some(hub.reply_to(question, answer)),
        _ => None,
    }
}

/// Sends what is for the run, and no question of it.
fn send(hub: &Hub, command: &Command) -> Option<Sent> {
    Some(match command {
        Command::Answer { .. } => return None,
        Command::Emit { name, value } => hub.emit(name, value),
        Command::Message { node, text } => hub.send_to(node, text),
        Command::Pause => hub.pause(),
        Command::Unpause => hub.unpause(),
        Command::Cancel { reason } => hub.cancel(reason),
    })
}
