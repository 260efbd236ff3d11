//! What can be wrong with a policy.

/// One thing that is wrong with a [`Policy`](crate::Policy).
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyProblem {
    /// The node may never run.
    #[error("`max_visits` is 0, and a node runs at least once")]
    NoVisits,
    /// A time limit is zero, so that every attempt would fail.
    #[error("`{option}` is zero, and every attempt would be too slow")]
    #[non_exhaustive]
    Zero {
        /// `timeout` or `total_timeout`.
        option: &'static str,
    },
    /// Not even one attempt could use its time.
    #[error("`total_timeout` is shorter than `timeout`")]
    TotalBelowTimeout,
    /// The node would never be tried again.
    #[error(
        "`total_timeout` is not longer than `backoff`, and leaves no time for a second attempt"
    )]
    TotalBelowBackoff,
    /// The node may never be tried.
    #[error("`max_attempts` is 0, and a node is tried at least once")]
    NoAttempts,
    /// The wait would get shorter, or be no time at all.
    #[error("`factor` is {factor}, and not a number from 1.0 on")]
    #[non_exhaustive]
    Factor {
        /// What it is.
        factor: f64,
    },
    /// Not even the first wait could be as long as it is to be.
    #[error("`max_backoff` is shorter than `backoff`")]
    MaxBelowBackoff,
    /// Nothing is waited for, and the option says how.
    #[error("`{option}` says how to wait, and there is no `backoff`")]
    #[non_exhaustive]
    NoBackoff {
        /// `factor`, `max_backoff` or `jitter`.
        option: &'static str,
    },
}
