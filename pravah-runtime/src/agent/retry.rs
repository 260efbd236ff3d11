//! Asking a model again that could not answer.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};

use crate::model::ModelError;

/// The wait before the second try; it doubles from try to try.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);
/// The longest wait that a client may ask for: a year.
const LONGEST_ASKED: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// How long to wait before try number `tries` is repeated; nothing if it is not to be repeated.
///
/// The waits of several runs are spread by up to a half, so that they do not all come back at once.
/// They are spread by what `seed` says and not by chance: a run that is made again waits the same.
pub(super) fn wait(error: &ModelError, tries: u32, most: u32, seed: &str) -> Option<Duration> {
    if !error.is_retryable() || tries > most {
        return None;
    }
    Some(backoff(tries, seed, error.retry_after()))
}

/// The wait after failed try number `tries`: exponential with jitter, or `retry_after` if that is longer, at most a year.
pub(crate) fn backoff(tries: u32, seed: &str, retry_after: Option<Duration>) -> Duration {
    let doubled = FIRST.saturating_mul(1 << tries.saturating_sub(1).min(16));
    let backoff = doubled.min(LONGEST);
    let mut hasher = DefaultHasher::new();
    (seed, tries).hash(&mut hasher);
    let spread = u32::try_from(hasher.finish() % 512).unwrap_or_default();
    let backoff = backoff + backoff * spread / 1024;
    backoff.max(retry_after.unwrap_or_default().min(LONGEST_ASKED))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::wait;
    use crate::model::{ModelError, ModelErrorKind};

    fn overloaded() -> ModelError {
        ModelError::new(ModelErrorKind::Upstream, "overloaded")
    }

    #[test]
    fn waits_double_up_to_a_minute_and_a_half() {
        let waits: Vec<u64> = (1..=9)
            .filter_map(|tries| wait(&overloaded(), tries, 9, "seed"))
            .map(|wait| wait.as_secs())
            .collect();
        let least = [1, 2, 4, 8, 16, 32, 60, 60, 60];
        assert_eq!(waits.len(), least.len());
        for (wait, least) in waits.into_iter().zip(least) {
            assert!((least..=least * 3 / 2).contains(&wait), "{wait}");
        }
    }

    #[test]
    fn the_providers_word_is_the_least_wait() {
        let hour = Duration::from_secs(3600);
        let error = overloaded().with_retry_after(Some(hour));
        assert_eq!(wait(&error, 1, 4, ""), Some(hour));
        let error = overloaded().with_retry_after(Some(Duration::ZERO));
        assert!(wait(&error, 1, 4, "") >= Some(Duration::from_secs(1)));
    }

    #[test]
    fn nobody_waits_for_ever() {
        let error = overloaded().with_retry_after(Some(Duration::MAX));
        let year = Duration::from_secs(365 * 24 * 60 * 60);
        assert_eq!(wait(&error, 1, 4, ""), Some(year));
    }

    #[test]
    fn what_will_not_get_better_is_not_tried_again() {
        let error = ModelError::new(ModelErrorKind::Auth, "no");
        assert_eq!(wait(&error, 1, 4, ""), None);
        assert_eq!(wait(&overloaded(), 5, 4, ""), None);
    }

    #[test]
    fn two_runs_do_not_come_back_at_once() {
        let waits = ["a", "b"].map(|seed| wait(&overloaded(), 3, 4, seed));
        assert_ne!(waits[0], waits[1]);
        assert_eq!(waits[0], wait(&overloaded(), 3, 4, "a"));
    }
}
