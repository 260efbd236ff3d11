//! Helpers for numbers and times in JSON.

use std::time::Duration;

/// For `skip_serializing_if`: 0 is left out.
pub(crate) fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

/// A time limit in whole milliseconds, rounded up, so that one below a millisecond has not passed as soon as it starts.
pub(crate) fn millis_rounded_up(time: Duration) -> u64 {
    u64::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

/// A time in whole milliseconds.
pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
