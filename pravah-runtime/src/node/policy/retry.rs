//! How often a node is tried again, and how long to wait before that.

use std::time::Duration;

use uuid::Uuid;

use super::problem::PolicyProblem;

/// How often a node that failed is tried again, and after which waits.
///
/// Errors of the node, panics, timeouts and answers that fit no schema are tried again; what another
/// attempt cannot change is not: see [`FailureKind::is_retried`](crate::FailureKind::is_retried).
///
/// ```
/// use std::time::Duration;
/// use pravah_runtime::Retry;
///
/// let retry = Retry::attempts(5)
///     .backoff(Duration::from_millis(200))
///     .factor(2.0)
///     .max_backoff(Duration::from_secs(1));
/// let waits: Vec<u128> = (1..5).map(|n| retry.wait_after(n, "run-1/fetch#1").as_millis()).collect();
/// assert_eq!(waits, [200, 400, 800, 1000]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Retry {
    /// How often the node is tried in all, from 1 on: 3 is one attempt and two more.
    pub max_attempts: u32,
    /// How long to wait before the second attempt; zero is at once.
    pub backoff: Duration,
    /// By how much each wait is longer than the one before it, from 1.0 on; with 1.0, which it is unless
    /// set, all are alike.
    pub factor: f64,
    /// The longest wait.
    pub max_backoff: Option<Duration>,
    /// Whether a wait is some random share of its length, so that nodes that failed together do not come
    /// back together.
    pub jitter: bool,
}

impl Retry {
    /// So many attempts in all, each right after the one before it.
    pub const fn attempts(max_attempts: u32) -> Self {
        Self {
            max_attempts,
            backoff: Duration::ZERO,
            factor: 1.0,
            max_backoff: None,
            jitter: false,
        }
    }

    /// Sets [`backoff`](Self::backoff).
    #[must_use]
    pub const fn backoff(mut self, backoff: Duration) -> Self {
        self.backoff = backoff;
        self
    }

    /// Sets [`factor`](Self::factor).
    #[must_use]
    pub const fn factor(mut self, factor: f64) -> Self {
        self.factor = factor;
        self
    }

    /// Sets [`max_backoff`](Self::max_backoff).
    #[must_use]
    pub const fn max_backoff(mut self, longest: Duration) -> Self {
        self.max_backoff = Some(longest);
        self
    }

    /// Sets [`jitter`](Self::jitter).
    #[must_use]
    pub const fn jitter(mut self) -> Self {
        self.jitter = true;
        self
    }

    /// How long to wait after the failed attempt number `attempt`, which is 1 for the first:
    /// `backoff * factor^(attempt - 1)`, and `max_backoff` at most.
    ///
    /// With `jitter` it is a share of that between nothing and all of it. The share is drawn by `step_key`
    /// ([`Context::step_key`](crate::Context::step_key)) and the attempt, and not by chance: a run that
    /// is restored waits as long as it would have. A wait without a limit ends at [`Duration::MAX`].
    ///
    /// ```
    /// use std::time::Duration;
    /// use pravah_runtime::Retry;
    ///
    /// let retry = Retry::attempts(3).backoff(Duration::from_secs(1)).jitter();
    /// let wait = retry.wait_after(1, "run-1/fetch#1");
    /// assert!(wait <= Duration::from_secs(1));
    /// assert_eq!(wait, retry.wait_after(1, "run-1/fetch#1"));
    /// assert_ne!(wait, retry.wait_after(1, "run-2/fetch#1"));
    /// ```
    pub fn wait_after(&self, attempt: u32, step_key: &str) -> Duration {
        if self.backoff.is_zero() {
            return Duration::ZERO;
        }
        let before = i32::try_from(attempt.saturating_sub(1)).unwrap_or(i32::MAX);
        // No factor that `problems` refuses makes a wait shorter.
        let growth = self.factor.max(1.0).powi(before);
        let grown = match growth > 1.0 {
            true => times(self.backoff, growth),
            false => self.backoff,
        };
        let wait = grown.min(self.max_backoff.unwrap_or(Duration::MAX));
        match self.jitter {
            true => times(wait, share(step_key, attempt)).min(wait),
            false => wait,
        }
    }

    /// Whether a second attempt never comes before so much time has passed.
    pub(super) fn waits_at_least(&self, time: Duration) -> bool {
        self.max_attempts > 1 && !self.jitter && self.backoff >= time
    }

    pub(super) fn find_problems(&self, problems: &mut Vec<PolicyProblem>) {
        let factor = self.factor;
        if self.max_attempts == 0 {
            problems.push(PolicyProblem::NoAttempts);
        }
        if !(factor.is_finite() && factor >= 1.0) {
            problems.push(PolicyProblem::Factor { factor });
        }
        if self.backoff.is_zero() {
            let options = [
                ("factor", factor > 1.0 && factor.is_finite()),
                ("max_backoff", self.max_backoff.is_some()),
                ("jitter", self.jitter),
            ];
            let set = options.into_iter().filter(|(_, is_set)| *is_set);
            problems.extend(set.map(|(option, _)| PolicyProblem::NoBackoff { option }));
        } else if self
            .max_backoff
            .is_some_and(|longest| longest < self.backoff)
        {
            problems.push(PolicyProblem::MaxBelowBackoff);
        }
    }
}

/// A multiple or a share of a time, as far as there are times.
fn times(time: Duration, by: f64) -> Duration {
    Duration::try_from_secs_f64(time.as_secs_f64() * by).unwrap_or(Duration::MAX)
}

/// A number from 0 to 1, without 1: the same for the same attempt at the same step on every machine.
fn share(step_key: &str, attempt: u32) -> f64 {
    const BITS: u32 = 48;
    let name = format!("{attempt}/{step_key}");
    // The first bits of the id are those of a hash; version and variant come later.
    let hash = Uuid::new_v5(&Uuid::nil(), name.as_bytes()).as_u64_pair().0 >> (u64::BITS - BITS);
    hash as f64 / (1_u64 << BITS) as f64
}
