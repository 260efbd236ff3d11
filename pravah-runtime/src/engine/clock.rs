//! What time it is for a run, and how it waits.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, OnceLock},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tokio::{sync::watch, time::Instant};

use crate::numbers::millis;

/// A wait that holds nothing of its clock.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What time it is for a run: when retries and timeouts are due; see
/// [`FlowRuntime::with_clock`](crate::FlowRuntime::with_clock).
///
/// The default is a [`SystemClock`]; [`ManualClock`] is for tests.
pub trait Clock: Send + Sync {
    /// The time now. It should not go back.
    fn now(&self) -> SystemTime;

    /// Ends at `until`, at once where that has passed.
    fn sleep_until(&self, until: SystemTime) -> Sleep;
}

impl<T: Clock + ?Sized> Clock for Arc<T> {
    fn now(&self) -> SystemTime {
        (**self).now()
    }

    fn sleep_until(&self, until: SystemTime) -> Sleep {
        (**self).sleep_until(until)
    }
}

/// The system's time when the clock was made, and from then on what tokio's [`Instant`] measures: a jump of
/// the system's clock moves nothing, and tokio's paused clock moves everything.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    start: SystemTime,
    started: Instant,
}

impl SystemClock {
    /// A clock that shows the system's time now.
    #[must_use]
    pub fn new() -> Self {
        let (started, real) = (Instant::now(), std::time::Instant::now());
        let shown = started.into_std();
        // Where tokio's clock is paused, or was, it goes before the system's or behind it: whoever stores a time and
        // reads it with another clock of this runtime finds the same time.
        let now = SystemTime::now();
        let (before, behind) = (
            shown.saturating_duration_since(real),
            real.saturating_duration_since(shown),
        );
        let start = now
            .checked_add(before)
            .and_then(|it| it.checked_sub(behind));
        Self {
            start: start.unwrap_or(now),
            started,
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        let passed = self.started.elapsed();
        self.start.checked_add(passed).unwrap_or(self.start)
    }

    fn sleep_until(&self, until: SystemTime) -> Sleep {
        let wait = until.duration_since(self.now()).unwrap_or_default();
        Box::pin(tokio::time::sleep(wait))
    }
}

/// A clock that is set by hand: whoever waits for a time goes on when it is set to that or a later one. Its
/// clones show the same time.
///
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
/// use pravah_runtime::{Clock, ManualClock};
///
/// let clock = ManualClock::new(UNIX_EPOCH);
/// clock.advance(Duration::from_secs(60));
/// assert_eq!(clock.now(), UNIX_EPOCH + Duration::from_secs(60));
/// ```
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<watch::Sender<SystemTime>>);

impl ManualClock {
    /// A clock that shows `now` until it is set.
    #[must_use]
    pub fn new(now: SystemTime) -> Self {
        Self(Arc::new(watch::Sender::new(now)))
    }

    /// Sets the clock.
    pub fn set(&self, now: SystemTime) {
        self.0.send_replace(now);
    }

    /// Sets the clock forward.
    pub fn advance(&self, by: Duration) {
        self.0
            .send_modify(|now| *now = now.checked_add(by).unwrap_or(*now));
    }
}

impl Clock for ManualClock {
    fn now(&self) -> SystemTime {
        *self.0.borrow()
    }

    fn sleep_until(&self, until: SystemTime) -> Sleep {
        let mut time = self.0.subscribe();
        Box::pin(async move {
            // Without its clock no time ever comes.
            if time.wait_for(|now| *now >= until).await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }
}

/// The clock of a run: the one that was set, or the default, made when it is first asked.
#[derive(Clone, Default)]
pub(super) struct RunClock(OnceLock<Arc<dyn Clock>>);

impl RunClock {
    pub(super) fn of(clock: impl Clock + 'static) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(clock);
        Self(clock.into())
    }

    pub(super) fn clock(&self) -> &Arc<dyn Clock> {
        self.0.get_or_init(|| Arc::new(SystemClock::new()))
    }

    /// In milliseconds since 1970.
    pub(super) fn now(&self) -> u64 {
        since_epoch(self.clock().now())
    }

    /// Ends at `until`, in milliseconds since 1970.
    pub(super) fn sleep_until(&self, until: u64) -> Sleep {
        self.clock().sleep_until(at(until))
    }
}

impl fmt::Debug for RunClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RunClock")
            .field(&self.clock().now())
            .finish()
    }
}

/// In milliseconds since 1970.
pub(crate) fn since_epoch(time: SystemTime) -> u64 {
    millis(time.duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// The same time without what is less than a millisecond, as it is written.
pub(crate) fn whole_millis(time: SystemTime) -> SystemTime {
    at(since_epoch(time))
}

/// The time of this number of milliseconds since 1970.
pub(super) fn at(millis: u64) -> SystemTime {
    UNIX_EPOCH
        .checked_add(Duration::from_millis(millis))
        .unwrap_or(UNIX_EPOCH)
}
