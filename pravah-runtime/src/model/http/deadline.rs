//! How long a call may take as a whole.

use std::{future::Future, time::Duration};

use tokio::time::{Instant, timeout_at};

use crate::model::{ModelError, ModelOptions, Timeouts};

/// When a call is over, whatever has come by then.
#[derive(Clone, Copy)]
pub(super) struct Deadline {
    at: Instant,
    limit: Duration,
}

impl Deadline {
    /// That of a call that starts now: the time of the server, or what the request says if that is
    /// less.
    pub(super) fn of(timeouts: Timeouts, options: &ModelOptions) -> Self {
        let limit = options.timeout.unwrap_or(timeouts.total);
        let limit = limit.min(timeouts.total);
        let now = Instant::now();
        Self {
            // A time that no clock can show is as good as none.
            at: now.checked_add(limit).unwrap_or(now + A_YEAR),
            limit,
        }
    }

    /// Waits for `future`, for at most `time`; the error is how long it was waited for.
    pub(super) async fn limit<T>(
        self,
        time: Duration,
        future: impl Future<Output = T>,
    ) -> Result<T, Duration> {
        let until = Instant::now().checked_add(time);
        let (until, time) = match until {
            Some(until) if until < self.at => (until, time),
            _ => (self.at, self.limit),
        };
        timeout_at(until, future).await.map_err(|_| time)
    }

    /// The same, of a request that was sent; `late` says what happened where `time` is over and the
    /// call is not.
    pub(super) async fn within<T>(
        self,
        time: Duration,
        late: impl FnOnce() -> ModelError,
        future: impl Future<Output = T>,
    ) -> Result<T, ModelError> {
        let done = self.limit(time, future).await;
        done.map_err(|_| match Instant::now() < self.at {
            true => late(),
            false => ModelError::not_within(self.limit),
        })
    }
}

const A_YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);
