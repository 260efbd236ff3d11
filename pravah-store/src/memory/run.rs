//! One run.

use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime},
};

use pravah_runtime::{Changes, Entries};

use crate::{
    Claim, ClaimRequest, Command, Commit, HistoryRow, InboxRow, Lease, NewRun, Release, RunInfo,
    Status, StoreError, command::Waiting, time,
};

#[derive(Debug)]
pub(super) struct Run {
    pub(super) info: RunInfo,
    pub(super) entries: Entries,
    pub(super) history: Vec<(HistoryRow, Changes)>,
    inbox: BTreeMap<u64, Command>,
    /// The number of the last command that was pushed.
    pub(super) last_command: u64,
    /// The number of the last lease.
    lease: u64,
    /// Who has the lease, and until when.
    leased: Option<(String, SystemTime)>,
}

impl Run {
    pub(super) fn start(new: NewRun, forked_from: Option<(String, u64)>, now: SystemTime) -> Self {
        let mut entries = Entries::default();
        entries.apply(new.entries.clone());
        let started = HistoryRow::new(0, now, Status::Ready);
        let mut info = RunInfo::new(new.key, new.flow, Status::Ready, now);
        info.tags = new.tags;
        info.wake_at = Some(now);
        info.forked_from = forked_from;
        Self {
            info,
            entries,
            history: vec![(started, new.entries)],
            inbox: BTreeMap::new(),
            last_command: 0,
            lease: 0,
            leased: None,
        }
    }

    pub(super) fn is_leased(&self, lease: &Lease, now: SystemTime) -> bool {
        let held = self.leased.as_ref();
        let held = held.is_some_and(|(owner, until)| *owner == lease.owner && *until > now);
        held && self.lease == lease.number
    }

    pub(super) fn may_be_claimed(&self, flows: &[String], now: SystemTime) -> bool {
        let is_free = self.leased.as_ref().is_none_or(|(_, until)| *until <= now);
        let is_due = self.info.wake_at.is_some_and(|wake_at| wake_at <= now);
        is_free && is_due && flows.contains(&self.info.flow)
    }

    /// Claims the run with a lease of this number, which no other lease of the store has.
    pub(super) fn claim(&mut self, number: u64, request: &ClaimRequest, now: SystemTime) -> Claim {
        self.lease = number;
        self.info.failed_claims = self.info.failed_claims.saturating_add(1);
        let owner = request.owner.clone();
        self.leased = Some((owner.clone(), time::after(now, request.lease)));
        let lease = Lease::new(self.info.key.clone(), owner, self.lease);
        Claim::new(lease, self.info.clone())
    }

    pub(super) fn extend_lease(&mut self, now: SystemTime, lease: Duration) {
        if let Some((_, until)) = &mut self.leased {
            *until = time::after(now, lease);
        }
    }

    pub(super) fn release(&mut self, release: Release, now: SystemTime) {
        self.leased = None;
        let info = &mut self.info;
        match release {
            Release::Stopped => info.failed_claims = info.failed_claims.saturating_sub(1),
            Release::Failed { error, retry_at } => {
                info.error = Some(error);
                info.wake_at = Some(time::whole_millis(retry_at));
            }
            Release::Parked { error } => {
                info.status = Status::Failed;
                info.error = Some(error);
                info.wake_at = None;
                info.updated_at = now;
            }
        }
        // It may have come after the worker has looked.
        if self.inbox.values().any(Command::is_cancel) {
            self.wake(now);
        }
    }

    pub(super) fn commit(&mut self, commit: Commit, now: SystemTime) -> u64 {
        for number in commit.removed() {
            self.inbox.remove(&number);
        }
        if commit.status.has_ended() {
            self.inbox.clear();
        }
        if commit.is_progress() {
            self.info.failed_claims = 0;
        }
        if commit.release {
            self.leased = None;
        }
        let is_step = commit.is_step();
        let info = &mut self.info;
        info.step += u64::from(is_step);
        info.status = commit.status;
        info.updated_at = now;
        info.wake_at = commit.claimable_at(now).map(time::whole_millis);
        info.questions = commit.questions;
        info.output = commit.output;
        info.error = commit.error;
        if is_step {
            let mut row = HistoryRow::new(info.step, now, commit.status);
            row.node = commit.node;
            (row.taken, row.refused) = (commit.taken, commit.refused);
            self.entries.apply(commit.changes.clone());
            self.history.push((row, commit.changes));
        }
        let seen = commit.seen;
        let status = self.info.status;
        if self
            .inbox
            .iter()
            .any(|(n, it)| *n > seen && it.wakes(status))
        {
            self.wake(now);
        }
        self.last_command
    }

    pub(super) fn push(&mut self, command: Command, now: SystemTime) -> Result<u64, StoreError> {
        if self.info.status.has_ended() {
            return Err(self.wrong_status("push a command"));
        }
        command.to_json()?;
        let waiting = Waiting::of(self.inbox.values());
        command.check_room(self.info.key.id(), &waiting)?;
        if command.wakes(self.info.status) {
            self.wake(now);
        }
        self.last_command = self.last_command.saturating_add(1);
        self.inbox.insert(self.last_command, command);
        Ok(self.last_command)
    }

    fn wake(&mut self, now: SystemTime) {
        let wake_at = self.info.wake_at.map_or(now, |wake_at| wake_at.min(now));
        self.info.wake_at = Some(wake_at);
    }

    pub(super) fn inbox_after(&self, after: u64) -> Vec<InboxRow> {
        let rows = self.inbox.iter().filter(|(number, _)| **number > after);
        rows.map(|(number, command)| InboxRow::new(*number, command.clone()))
            .collect()
    }

    pub(super) fn retry(&mut self, now: SystemTime) -> Result<(), StoreError> {
        if self.info.status != Status::Failed {
            return Err(self.wrong_status("retry it"));
        }
        self.info.status = Status::Ready;
        self.info.failed_claims = 0;
        self.info.updated_at = now;
        self.wake(now);
        Ok(())
    }

    pub(super) fn entries_at(&self, step: u64) -> Result<Entries, StoreError> {
        if step > self.info.step {
            return Err(StoreError::no_such_step(self.info.key.id(), step));
        }
        let mut entries = Entries::default();
        let until = self.history.iter().take_while(|(row, _)| row.step <= step);
        until.for_each(|(_, changes)| entries.apply(changes.clone()));
        Ok(entries)
    }

    fn wrong_status(&self, action: &'static str) -> StoreError {
        StoreError::wrong_status(action, self.info.key.id(), self.info.status)
    }
}
