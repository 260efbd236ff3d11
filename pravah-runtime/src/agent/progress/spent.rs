//! What a visit of an agent has used, and what its next attempt takes over of that.

use super::AgentProgress;
use crate::model::Usage;

/// What a visit has used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spent {
    pub(crate) usage: Usage,
    /// The answers that were paid for.
    pub(crate) calls: u32,
    /// How often the model was asked.
    pub(crate) requests: u32,
}

impl AgentProgress {
    /// What this visit has used, and how many answers it has paid for.
    pub(crate) fn spent(&self) -> Spent {
        Spent {
            usage: self.usage,
            calls: self.calls,
            requests: self.requests,
        }
    }

    /// How many tokens the visit has used in all attempts.
    pub(in crate::agent) fn tokens(&self) -> u64 {
        self.usage.total().saturating_add(self.lost_tokens)
    }

    /// Takes over what is counted of earlier attempts at the visit: tokens, and calls of agents.
    pub(crate) fn with_counts_of(mut self, before: &Self) -> Self {
        self.lost_tokens = before.lost_tokens;
        self.next_task = before.next_task;
        self.called = before.called;
        self
    }

    /// What the next attempt starts from: `before`, and the tokens that the failed attempt used. Without
    /// an answer so far its prompt is written anew. `None` if nothing was used and no tries are counted.
    pub(crate) fn before_next_attempt(before: Option<&Self>, spent: Spent) -> Option<Self> {
        let used = before.map_or(spent.usage, |before| spent.usage - before.usage);
        if used.total() == 0 && !before.is_some_and(Self::is_trying) {
            return None;
        }
        let before = before.cloned().unwrap_or_else(Self::not_started);
        Some(Self {
            lost_tokens: before.lost_tokens.saturating_add(used.total()),
            tries: 0,
            trying_ms: 0,
            ..before
        })
    }

    /// What a new attempt at the visit starts from, which starts a new conversation: the tokens that those
    /// before have used, and how many agents they have called. `None` if there were neither.
    pub(crate) fn next_attempt(before: Option<&Self>, spent: Option<Spent>) -> Option<Self> {
        let lost = before.map_or(0, |before| before.lost_tokens);
        // The calls of two attempts are different ones, also by their numbers.
        let (next_task, called) = before.map_or((0, 0), |before| (before.next_task, before.called));
        let spent = spent.or_else(|| before.map(Self::spent))?;
        let lost_tokens = lost.saturating_add(spent.usage.total());
        (lost_tokens > 0 || next_task > 0).then(|| Self {
            lost_tokens,
            next_task,
            called,
            ..Self::not_started()
        })
    }

    /// Counts an answer that was paid for, whatever it was good for.
    pub(in crate::agent) fn pay(&mut self, usage: Usage) {
        self.calls = self.calls.saturating_add(1);
        self.usage += usage;
    }
}
