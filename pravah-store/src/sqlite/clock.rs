//! The clock of files.

use std::time::SystemTime;

use pravah_runtime::{Clock, Sleep, SystemClock};

/// The system's time as it is now. Processes that share a file compare the times in it: where a machine was asleep, or its
/// clock was set, they still have to agree, and clocks that count from their own start would not.
pub(super) struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> SystemTime {
        SystemClock::new().now()
    }

    fn sleep_until(&self, until: SystemTime) -> Sleep {
        SystemClock::new().sleep_until(until)
    }
}
