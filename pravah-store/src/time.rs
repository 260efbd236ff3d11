//! Times as stores write them, in milliseconds since 1970, waits, and the clock that both come from.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use pravah_runtime::Clock;
use serde::{Serialize, Serializer};
use uuid::Uuid;

/// The clock of a store. The runs in it take their times from the same one.
#[derive(Clone)]
pub(crate) struct SharedClock(pub(crate) Arc<dyn Clock>);

impl fmt::Debug for SharedClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SharedClock").field(&self.0.now()).finish()
    }
}

pub(crate) fn to_millis(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

pub(crate) fn from_millis(millis: i64) -> SystemTime {
    let since = Duration::from_millis(u64::try_from(millis).unwrap_or_default());
    UNIX_EPOCH.checked_add(since).unwrap_or(UNIX_EPOCH)
}

/// The same time as it is read again.
pub(crate) fn whole_millis(time: SystemTime) -> SystemTime {
    from_millis(to_millis(time))
}

/// `time` and this long, or as late as can be.
pub(crate) fn after(time: SystemTime, wait: Duration) -> SystemTime {
    time.checked_add(wait).unwrap_or(from_millis(i64::MAX))
}

/// No wait for something that may happen at any time is longer.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// This long, and up to a quarter less or more: so that processes do not all ask at once.
pub(crate) fn jittered(wait: Duration) -> Duration {
    // The last bytes of such an id are random.
    let [.., random] = Uuid::now_v7().into_bytes();
    let wait = wait.min(LONGEST_WAIT);
    wait.mul_f64(0.75 + f64::from(random) / 510.0)
}

pub(crate) fn serialize<S: Serializer>(
    time: &SystemTime,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    to_millis(*time).serialize(serializer)
}

pub(crate) mod optional {
    use std::time::SystemTime;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        time: &Option<SystemTime>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        time.map(super::to_millis).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<SystemTime>, D::Error> {
        let millis = Option::<i64>::deserialize(deserializer)?;
        Ok(millis.map(super::from_millis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_is_at_most_a_quarter_of_a_wait_that_is_at_most_a_day() {
        let wait = Duration::from_secs(100);
        let waits: Vec<Duration> = (0..1_000).map(|_| jittered(wait)).collect();
        let (least, most) = (waits.iter().min().unwrap(), waits.iter().max().unwrap());
        assert!(*least >= wait.mul_f64(0.75) && *least < wait.mul_f64(0.9));
        assert!(*most <= wait.mul_f64(1.25) && *most > wait.mul_f64(1.1));
        assert!(jittered(Duration::MAX) <= LONGEST_WAIT.mul_f64(1.25));
    }
}
