//! Attempts at a node: how often it has failed, and how long it may take.

use std::{sync::Arc, time::Duration};

use super::{
    flight::TimeLimit,
    run::Run,
    state::{
        RunState,
        path::{ItemId, NodePath},
        progress::Attempts,
    },
};
use crate::{
    error::FlowError,
    graph::{NodeEntry, NodeKind},
    node::Policy,
    numbers::{millis, millis_rounded_up},
};

impl Run {
    /// How long the body at `path` may take from now on; an error where that has passed.
    #[inline]
    pub(super) fn time_limit(
        &self,
        path: &NodePath,
        entry: &NodeEntry,
    ) -> Result<Option<Box<TimeLimit>>, FlowError> {
        let policy = &entry.policy;
        let is_limited = policy.timeout.is_some() || policy.total_timeout.is_some();
        // The limit of a gate is for its answer, not for its body.
        match is_limited && !matches!(entry.kind, NodeKind::Gate(_)) {
            true => self.time_limit_slow(path, policy),
            false => Ok(None),
        }
    }

    #[inline(never)]
    fn time_limit_slow(
        &self,
        path: &NodePath,
        policy: &Policy,
    ) -> Result<Option<Box<TimeLimit>>, FlowError> {
        let started = self.now();
        let Some((until, limit)) = self.end_of_attempt(path, policy, started) else {
            return Ok(None);
        };
        if until <= started {
            let node = self.node_id(path).to_string();
            return Err(FlowError::TimedOut { node, limit });
        }
        Ok(Some(Box::new(TimeLimit {
            started,
            sleep: self.clock.sleep_until(until),
            limit,
        })))
    }

    /// When the attempt at `path` that goes on at `now` has to end, and the limit that says so.
    fn end_of_attempt(
        &self,
        path: &NodePath,
        policy: &Policy,
        now: u64,
    ) -> Option<(u64, Duration)> {
        let attempts = self.state.attempts(path).copied().unwrap_or_default();
        let one = policy.timeout.map(|limit| {
            let start = now.saturating_sub(attempts.spent);
            (start.saturating_add(millis_rounded_up(limit)), limit)
        });
        let total = self.end_of_all_attempts(path, policy, now);
        one.into_iter().chain(total).min()
    }

    /// When all attempts at the node have to end, if it became ready at `now` unless that was noted before.
    pub(super) fn end_of_all_attempts(
        &self,
        path: &NodePath,
        policy: &Policy,
        now: u64,
    ) -> Option<(u64, Duration)> {
        let limit = policy.total_timeout?;
        let attempts = self.state.attempts(path);
        // Nobody may have answered, and the node goes on all the same.
        let ready_at = attempts.and_then(|attempts| attempts.ready_without_wait(now));
        let start = ready_at.unwrap_or(now);
        Some((start.saturating_add(millis_rounded_up(limit)), limit))
    }

    /// Counts the time for which an agent waits as part of its attempt: that long, or until the attempt
    /// has to end.
    pub(super) fn count_wait(&mut self, path: &NodePath, wait: Duration) -> Duration {
        let (now, table) = (self.now(), Arc::clone(&self.state.frame(&path.frame).table));
        let policy = &table.node(path.node).policy;
        let Some((until, _)) = self.end_of_attempt(path, policy, now) else {
            return wait;
        };
        let wait = millis(wait).min(until.saturating_sub(now));
        let attempts = self.state.attempts_mut(path);
        attempts.spent = attempts.spent.saturating_add(wait);
        Duration::from_millis(wait)
    }

    /// Lets the time for all attempts begin with this one, where no commit said when the node became ready:
    /// that of a flow's or an item's first node, and of one that is tried again after it failed.
    pub(super) fn note_start(&mut self, path: &NodePath, started: Option<u64>) {
        let policy = &self.state.frame(&path.frame).table.node(path.node).policy;
        if policy.total_timeout.is_some() {
            let started = started.unwrap_or_else(|| self.now());
            let attempts = self.state.attempts_mut(path);
            attempts.ready_at.get_or_insert(started);
        }
    }

    /// Counts the time that a step of an agent took, as part of its attempt.
    pub(super) fn count_time(&mut self, path: &NodePath, started: Option<u64>) {
        let Some(started) = started else { return };
        let took = self.now().saturating_sub(started);
        let attempts = self.state.attempts_mut(path);
        attempts.spent = attempts.spent.saturating_add(took);
    }

    /// Notes when the nodes became ready whose time for all attempts is limited: those in the frame at
    /// `path` and around it.
    pub(super) fn note_ready(&mut self, path: &[ItemId]) {
        if self.state.root.table.limits_total_time {
            self.note_ready_slow(path);
        }
    }

    #[cold]
    fn note_ready_slow(&mut self, path: &[ItemId]) {
        let now = self.now();
        for depth in 0..=path.len() {
            let around = path.get(..depth).unwrap_or_default();
            let Some(frame) = self.state.root.at_mut(around) else {
                return;
            };
            let ready: Vec<_> = frame.ready.keys().map(|(_, node)| *node).collect();
            for node in ready {
                if frame.table.node(node).policy.total_timeout.is_some() {
                    frame
                        .progress
                        .attempts
                        .get_or_insert_with(node, || Attempts {
                            ready_at: Some(now),
                            ..Attempts::default()
                        });
                }
            }
        }
    }

    /// Stops the clock of a node that waits for an answer, where the time for all its attempts is limited.
    pub(super) fn stop_clock(&mut self, path: &NodePath) {
        let now = self.now();
        let frame = self.state.frame_mut(&path.frame);
        if let Some(attempts) = frame.progress.attempts.get_mut(&path.node) {
            attempts.asked_at.get_or_insert(now);
        }
    }

    /// Lets the clock of such a node go on, once it is answered.
    pub(super) fn start_clock(&mut self, path: &NodePath) {
        let now = self.now();
        let frame = self.state.frame_mut(&path.frame);
        if let Some(attempts) = frame.progress.attempts.get_mut(&path.node) {
            attempts.ready_at = attempts.ready_without_wait(now);
            attempts.asked_at = None;
        }
    }
}

impl Attempts {
    /// When the node became ready, moved on by the time for which it has waited for an answer.
    fn ready_without_wait(&self, now: u64) -> Option<u64> {
        let waited = now.saturating_sub(self.asked_at.unwrap_or(now));
        Some(self.ready_at?.saturating_add(waited))
    }
}

impl RunState {
    /// The attempts at the node, counted from now on if they were not.
    pub(super) fn attempts_mut(&mut self, path: &NodePath) -> &mut Attempts {
        let attempts = &mut self.frame_mut(&path.frame).progress.attempts;
        attempts.get_or_insert_with(path.node, Attempts::default)
    }

    /// Which attempt at the node is being made, from 1.
    pub(super) fn attempt(&self, path: &NodePath) -> u32 {
        self.failed_attempts(path).saturating_add(1)
    }

    fn attempts(&self, path: &NodePath) -> Option<&Attempts> {
        self.frame(&path.frame).progress.attempts.get(&path.node)
    }

    /// How many attempts at the node have failed before the one that is made.
    pub(super) fn failed_attempts(&self, path: &NodePath) -> u32 {
        self.attempts(path).map_or(0, |attempts| attempts.failed)
    }
}
