//! What a policy refuses, and how long a node waits for its next attempt.

use std::time::Duration;

use proptest::prelude::*;

use super::{Policy, PolicyProblem, Retry};

const KEY: &str = "run-1/fetch#1";

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn waits(retry: Retry, attempts: u32) -> Vec<u128> {
    let attempts = 1..=attempts;
    attempts
        .map(|attempt| retry.wait_after(attempt, KEY).as_millis())
        .collect()
}

// S4.21
#[test]
fn without_a_backoff_the_next_attempt_is_at_once() {
    assert_eq!(waits(Retry::attempts(3), 3), [0, 0, 0]);
    let endless = Retry::attempts(3).factor(f64::INFINITY);
    assert_eq!(waits(endless, 3), [0, 0, 0]);
}

// S4.21
#[test]
fn waits_are_alike_unless_a_factor_makes_them_longer() {
    let retry = Retry::attempts(9).backoff(ms(200));
    assert_eq!(waits(retry, 4), [200, 200, 200, 200]);
    assert_eq!(waits(retry.factor(2.0), 4), [200, 400, 800, 1600]);
    assert_eq!(waits(retry.factor(1.5), 4), [200, 300, 450, 675]);
}

#[test]
fn no_wait_is_longer_than_the_longest() {
    let retry = Retry::attempts(9).backoff(ms(200)).factor(3.0);
    assert_eq!(
        waits(retry.max_backoff(ms(1000)), 4),
        [200, 600, 1000, 1000]
    );
    assert_eq!(retry.wait_after(u32::MAX, KEY), Duration::MAX);
    let most = Retry::attempts(9).backoff(Duration::MAX);
    assert_eq!(most.wait_after(2, KEY), Duration::MAX);
    assert_eq!(most.factor(1.1).wait_after(2, KEY), Duration::MAX);
}

#[test]
fn a_wait_that_does_not_grow_is_exact() {
    let odd = Duration::new(1 << 60, 123_456_789);
    assert_eq!(Retry::attempts(9).backoff(odd).wait_after(7, KEY), odd);
}

#[test]
fn jitter_is_the_same_for_one_attempt_at_one_step_and_differs_between_them() {
    let retry = Retry::attempts(9).backoff(ms(1_000_000)).jitter();
    assert_eq!(retry.wait_after(1, KEY), retry.wait_after(1, KEY));
    assert_ne!(retry.wait_after(1, KEY), retry.wait_after(2, KEY));
    assert_ne!(
        retry.wait_after(1, KEY),
        retry.wait_after(1, "run-2/fetch#1")
    );
    // Attempt 1 at step `1/x` is not attempt 11 at step `x`, or the like.
    assert_ne!(retry.wait_after(1, "1/x"), retry.wait_after(11, "x"));
}

#[test]
fn jitter_draws_every_share_as_often() {
    const DRAWN: usize = 10_000;
    let retry = Retry::attempts(9).backoff(ms(10_000)).jitter();
    let mut tenths = [0_usize; 10];
    for run in 0..DRAWN {
        let wait = retry.wait_after(1, &format!("run-{run}/fetch#1"));
        tenths[usize::try_from(wait.as_millis() / 1000).unwrap()] += 1;
    }
    for drawn in tenths {
        assert!((DRAWN / 10).abs_diff(drawn) < DRAWN / 50, "{tenths:?}");
    }
}

#[test]
fn a_policy_in_order_has_no_problems() {
    let retry = Retry::attempts(3)
        .backoff(ms(200))
        .factor(2.0)
        .max_backoff(ms(200))
        .jitter();
    for policy in [
        Policy::new(),
        Policy::new().retry(Retry::attempts(1)),
        Policy::new().retry(Retry::attempts(1).backoff(ms(200))),
        Policy::new().timeout(ms(1)).total_timeout(ms(1)),
        Policy::new().total_timeout(ms(1)),
        Policy::new()
            .max_visits(1)
            .timeout(ms(1))
            .total_timeout(ms(2))
            .retry(retry),
        Policy::new()
            .total_timeout(ms(201))
            .retry(Retry::attempts(2).backoff(ms(200))),
        Policy::new()
            .total_timeout(ms(200))
            .retry(Retry::attempts(1).backoff(ms(200))),
    ] {
        assert_eq!(policy.problems(), []);
    }
}

// S4.21
#[test]
fn every_problem_of_a_policy_is_named() {
    let policy = Policy::new()
        .max_visits(0)
        .timeout(ms(2))
        .total_timeout(ms(1))
        .retry(
            Retry::attempts(0)
                .backoff(ms(2))
                .factor(0.5)
                .max_backoff(ms(1)),
        );
    assert_eq!(
        policy.problems(),
        [
            PolicyProblem::NoVisits,
            PolicyProblem::TotalBelowTimeout,
            PolicyProblem::NoAttempts,
            PolicyProblem::Factor { factor: 0.5 },
            PolicyProblem::MaxBelowBackoff,
        ]
    );
    let late = Policy::new().total_timeout(ms(200));
    let late = late.retry(Retry::attempts(2).backoff(ms(200)));
    assert_eq!(late.problems(), [PolicyProblem::TotalBelowBackoff]);
    let zero = Policy::new().timeout(ms(0)).total_timeout(ms(0));
    let named = |option| PolicyProblem::Zero { option };
    assert_eq!(zero.problems(), ["timeout", "total_timeout"].map(named));
    let retry = Retry::attempts(3).factor(2.0).max_backoff(ms(1)).jitter();
    let named = |option| PolicyProblem::NoBackoff { option };
    assert_eq!(
        Policy::new().retry(retry).problems(),
        ["factor", "max_backoff", "jitter"].map(named)
    );
    for factor in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -2.0, 0.0] {
        let retry = Retry::attempts(3).backoff(ms(1)).factor(factor);
        let problems = Policy::new().retry(retry).problems();
        assert!(
            matches!(problems.as_slice(), [PolicyProblem::Factor { .. }]),
            "{problems:?}"
        );
    }
}

fn any_time() -> impl Strategy<Value = Duration> {
    prop_oneof![
        Just(Duration::ZERO),
        Just(Duration::MAX),
        (any::<u64>(), 0_u32..1_000_000_000).prop_map(|(secs, nanos)| Duration::new(secs, nanos)),
        (0_u64..10_000).prop_map(ms),
    ]
}

fn any_retry() -> impl Strategy<Value = Retry> {
    let factor = prop_oneof![
        any::<f64>(),
        1.0..3.0_f64,
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
    ];
    (
        any::<u32>(),
        any_time(),
        factor,
        proptest::option::of(any_time()),
        any::<bool>(),
    )
        .prop_map(
            |(max_attempts, backoff, factor, max_backoff, jitter)| Retry {
                max_attempts,
                backoff,
                factor,
                max_backoff,
                jitter,
            },
        )
}

proptest! {
    // Whatever the numbers are, nothing overflows or panics, and the limits hold.
    #[test]
    fn a_wait_stays_within_its_limits(
        retry in any_retry(),
        attempt in prop_oneof![any::<u32>(), 0_u32..10],
        key in ".*",
    ) {
        let _ = Policy::new().retry(retry).problems();
        let wait = retry.wait_after(attempt, &key);
        prop_assert!(retry.max_backoff.is_none_or(|longest| wait <= longest));
        let steady = Retry { jitter: false, ..retry };
        let whole = steady.wait_after(attempt, &key);
        prop_assert!(wait <= whole);
        prop_assert!(whole <= steady.wait_after(attempt.saturating_add(1), &key));
        let least = retry.backoff.min(retry.max_backoff.unwrap_or(Duration::MAX));
        prop_assert!(whole >= least);
    }
}
