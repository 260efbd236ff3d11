//! Policies: how often and how long a node is tried.

mod problem;
mod retry;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use problem::PolicyProblem;
pub use retry::Retry;

/// How often and how long the engine tries a node.
///
/// The attributes write it (`#[node(timeout = "30s", retry(max_attempts = 3))]`), and
/// [`FlowGraphBuilder::policy`](crate::FlowGraphBuilder::policy) takes it. What is not set does not
/// limit the node, but for `max_visits`.
///
/// One *attempt* is one run of a function's body, or one visit of an agent from its first model call to
/// its output. A gate is attempted once: its `timeout` runs while it waits for its answer.
///
/// ```
/// use std::time::Duration;
/// use pravah_runtime::{Policy, Retry};
///
/// let policy = Policy::new()
///     .timeout(Duration::from_secs(30))
///     .retry(Retry::attempts(3).backoff(Duration::from_millis(200)).factor(2.0));
/// assert_eq!(policy.timeout, Some(Duration::from_secs(30)));
/// assert!(policy.problems().is_empty());
///
/// let never = Policy::new().retry(Retry::attempts(0));
/// assert_eq!(
///     never.problems()[0].to_string(),
///     "`max_attempts` is 0, and a node is tried at least once"
/// );
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Policy {
    /// How often a node on a loop may run within one run of its flow, for each item of a list: 1,000
    /// times unless set. Attempts at one visit count once.
    pub max_visits: Option<u32>,
    /// How long one attempt may take. It is dropped where it awaits: a body that never does runs to its end.
    pub timeout: Option<Duration>,
    /// How long all attempts and the waits between them may take together, from when the node became
    /// ready. Time in which it waits for a person does not count.
    pub total_timeout: Option<Duration>,
    /// How often the node is tried again where it fails; once in all unless set.
    pub retry: Option<Retry>,
    /// Whether the node may run again at no cost: it has no effect outside, and what it returns depends on what it takes
    /// alone. Whoever stores a run after each step may store such a step with the next one.
    pub is_pure: bool,
}

impl Policy {
    /// The policy of a node for which nothing is set.
    pub const fn new() -> Self {
        Self {
            max_visits: None,
            timeout: None,
            total_timeout: None,
            retry: None,
            is_pure: false,
        }
    }

    /// Sets [`is_pure`](Self::is_pure).
    #[must_use]
    pub const fn pure(mut self) -> Self {
        self.is_pure = true;
        self
    }

    /// Sets [`max_visits`](Self::max_visits).
    #[must_use]
    pub const fn max_visits(mut self, visits: u32) -> Self {
        self.max_visits = Some(visits);
        self
    }

    /// Sets [`timeout`](Self::timeout).
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets [`total_timeout`](Self::total_timeout).
    #[must_use]
    pub const fn total_timeout(mut self, timeout: Duration) -> Self {
        self.total_timeout = Some(timeout);
        self
    }

    /// Sets [`retry`](Self::retry).
    #[must_use]
    pub const fn retry(mut self, retry: Retry) -> Self {
        self.retry = Some(retry);
        self
    }

    /// Everything that is wrong with the policy; nothing where it can be obeyed. The attributes refuse
    /// the same when they are compiled, and the builder when its graph is built.
    pub fn problems(&self) -> Vec<PolicyProblem> {
        let mut problems = Vec::new();
        if self.max_visits == Some(0) {
            problems.push(PolicyProblem::NoVisits);
        }
        for (option, time) in [
            ("timeout", self.timeout),
            ("total_timeout", self.total_timeout),
        ] {
            if time.is_some_and(|time| time.is_zero()) {
                problems.push(PolicyProblem::Zero { option });
            }
        }
        if let (Some(one), Some(total)) = (self.timeout, self.total_timeout)
            && total < one
            && !total.is_zero()
        {
            problems.push(PolicyProblem::TotalBelowTimeout);
        }
        if let (Some(retry), Some(total)) = (&self.retry, self.total_timeout)
            && retry.waits_at_least(total)
            && !total.is_zero()
        {
            problems.push(PolicyProblem::TotalBelowBackoff);
        }
        if let Some(retry) = &self.retry {
            retry.find_problems(&mut problems);
        }
        problems
    }
}
