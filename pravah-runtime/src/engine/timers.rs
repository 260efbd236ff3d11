//! Nodes that wait for a time: the next try of a model, the next attempt, the timeout of a gate.

use std::{
    task::{Context as Task, Poll},
    time::Duration,
};

use super::{
    clock::Sleep,
    run::Run,
    state::{
        RunState,
        path::NodePath,
        progress::{Timer, WaitReason},
    },
};
use crate::numbers::millis;

impl Run {
    /// The time, in milliseconds since 1970.
    pub(super) fn now(&self) -> u64 {
        self.clock.now()
    }

    /// The node whose time has come first, of those that can be started.
    #[inline]
    pub(super) fn next_due(&self) -> Option<NodePath> {
        self.state.waits.first_time()?;
        self.next_due_slow()
    }

    #[inline(never)]
    fn next_due_slow(&self) -> Option<NodePath> {
        let (now, busy) = (self.now(), self.busy());
        let mut due = self.state.waits.due(now);
        due.find(|path| busy.has_room(&self.state.root, path))
            .cloned()
    }

    /// When the first time comes that is waited for, and why, but for that of an open question.
    pub(super) fn next_time(&self) -> Option<(u64, WaitReason)> {
        let (first, path) = self.state.waits.times().next()?;
        let frame = self.state.frame(&path.frame);
        let timer = frame.progress.timers.get(&path.node)?;
        Some((first, timer.why))
    }

    /// The wait for the first time, where nothing can move before.
    pub(super) fn sleep(&self) -> Option<Sleep> {
        if self.state.is_paused || self.state.end.is_some() {
            return None;
        }
        let (until, _) = self.next_time().filter(|_| !self.can_move())?;
        Some(self.clock.sleep_until(until))
    }

    /// Ready when the time has come, or there is a command that no step has looked at.
    pub(super) fn poll_sleep(&self, sleep: &mut Sleep, task: &mut Task<'_>) -> Poll<()> {
        match self.has_new_command(task) {
            true => Poll::Ready(()),
            false => sleep.as_mut().poll(task),
        }
    }

    /// The wait for the first time at which anything is due, an open question among it.
    pub(super) fn sleep_until_due(&self) -> Option<Sleep> {
        if self.state.is_paused || self.state.end.is_some() {
            return None;
        }
        let until = self.state.waits.first_time()?;
        Some(self.clock.sleep_until(until))
    }

    /// The wait for the next time at which a step may start besides those that are in flight. A time that
    /// has come is none: what could start then has started.
    #[inline]
    pub(super) fn sleep_in_flight(&self) -> Option<Sleep> {
        self.state.waits.first_time()?;
        self.sleep_in_flight_slow()
    }

    #[inline(never)]
    fn sleep_in_flight_slow(&self) -> Option<Sleep> {
        if self.flights.len() >= self.concurrency || self.state.is_paused {
            return None;
        }
        let until = self.state.waits.first_time_after(self.now())?;
        Some(self.clock.sleep_until(until))
    }

    /// Lets a node wait for that long. Returns until when, in milliseconds since 1970.
    pub(super) fn set_timer(&mut self, path: &NodePath, wait: Duration, why: WaitReason) -> u64 {
        let until = self.now().saturating_add(millis(wait));
        self.state.set_timer(path, Timer { until, why });
        until
    }
}

impl RunState {
    /// Puts a node back in the ready queue that has waited and whose step is about to be committed.
    pub(super) fn wake(&mut self, path: &NodePath) {
        if self.frame(&path.frame).progress.timers.contains(&path.node) {
            self.clear_timer(path);
            self.move_to_front(path);
        }
    }
}
