//! Multi-turn agents: each answer waits for a message, and the last one goes on.

use std::time::Duration;

use crate::numbers::millis;

/// How long an agent waits for a message unless it is set.
const IDLE: Duration = Duration::from_secs(30);

/// Lets an agent wait for a message after each of its answers; see [`AgentConfig::with_turns`].
///
/// A turn is one message in and one answer out, with all the tool calls between them; the prompt is the first
/// message. After an answer the agent waits for a message of a [`Hub`](crate::Hub). Its output is its last answer:
/// once nobody has written for so long, somebody has closed it, or it has had all of its turns. What limits a visit of
/// an agent, such as [`max_turns`](crate::AgentConfig::max_turns), which counts model calls, limits all turns together.
///
/// [`AgentConfig::with_turns`]: crate::AgentConfig::with_turns
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turns {
    max: Option<u32>,
    idle: Duration,
}

impl Default for Turns {
    fn default() -> Self {
        Self::new()
    }
}

impl Turns {
    /// As many turns as there are messages, of which each comes within 30 seconds.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            max: None,
            idle: IDLE,
        }
    }

    /// How many turns one visit of the agent may have, from 1: without limit unless set.
    #[must_use]
    pub const fn max(mut self, turns: u32) -> Self {
        self.max = Some(turns);
        self
    }

    /// How long the agent waits for a message: 30 seconds unless set.
    #[must_use]
    pub const fn idle(mut self, idle: Duration) -> Self {
        self.idle = idle;
        self
    }

    /// How long to wait for the message after this turn, if there is to be another one.
    pub(super) fn wait_after(&self, turn: u32) -> Option<Duration> {
        self.max.is_none_or(|max| turn < max).then_some(self.idle)
    }

    pub(super) fn problem(&self) -> Option<&'static str> {
        if self.max == Some(0) {
            return Some("`turns.max` is 0: the agent would never answer");
        }
        // Less than the clock of a run can tell.
        (millis(self.idle) == 0).then_some("`turns.idle` is 0: no message would ever come in time")
    }
}
