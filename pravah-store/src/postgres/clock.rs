//! The clock of a database.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use pravah_runtime::{Clock, Sleep, SystemClock};
use tokio_postgres::Client;

use super::statements;
use crate::tx_error::TxError;

/// The system's time with what the database's is ahead of it: what processes go by until they ask the database again, and
/// about what the statements read that compare times.
#[derive(Clone, Debug, Default)]
pub(super) struct DatabaseClock {
    /// In microseconds.
    ahead: Arc<AtomicI64>,
}

impl DatabaseClock {
    /// Asks a database what time it is.
    pub(super) async fn set_from(&self, client: &Client) -> Result<(), TxError> {
        let asked = to_micros(system_time());
        let row = client.query_one(statements::NOW_IN_MICROS, &[]).await?;
        let answered = to_micros(system_time());
        // It was read somewhere between the two.
        let middle = asked + (answered - asked) / 2;
        let database: i64 = row.try_get(0)?;
        let ahead = database.saturating_sub(middle);
        self.ahead.store(ahead, Ordering::Relaxed);
        Ok(())
    }
}

impl Clock for DatabaseClock {
    fn now(&self) -> SystemTime {
        let ahead = self.ahead.load(Ordering::Relaxed);
        let (now, by) = (system_time(), Duration::from_micros(ahead.unsigned_abs()));
        let corrected = if ahead < 0 {
            now.checked_sub(by)
        } else {
            now.checked_add(by)
        };
        corrected.unwrap_or(now)
    }

    fn sleep_until(&self, until: SystemTime) -> Sleep {
        let wait = until.duration_since(self.now()).unwrap_or_default();
        Box::pin(tokio::time::sleep(wait))
    }
}

/// The system's time as it is now, also where the machine was asleep or its clock was set meanwhile.
fn system_time() -> SystemTime {
    SystemClock::new().now()
}

fn to_micros(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_as_far_ahead_as_its_database() {
        let clock = DatabaseClock::default();
        for ahead in [3600_i64, -3600, 0] {
            clock.ahead.store(ahead * 1_000_000, Ordering::Relaxed);
            let (before, shown, after) = (system_time(), clock.now(), system_time());
            let seconds = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
            let shown = seconds(shown) - ahead as f64;
            assert!(seconds(before) - 0.001 <= shown && shown <= seconds(after) + 0.001);
        }
    }
}
