//! The order in which policies apply, for every set of policies and every course of attempts: the time of an attempt and
//! of all attempts, then another attempt, then the `catch`, then whether the other branches go on.

use pravah_runtime::{FailureKind, FlowDef, RunStatus, SystemClock, prelude::*};

use crate::support::{
    Act::{self, *},
    Play, body, restart, states, taking,
};

states!(Start, Work, Other, Worked, OtherDone, End);

/// What a body may do. None of it ends just when its time is over.
const ACTS: [Act; 4] = [Takes(20), FailsAfter(20), Panics, Hangs];
const ATTEMPTS: u32 = 3;
const BACKOFF: u64 = 10;
const TIMEOUT: u64 = 50;
const TOTAL: u64 = 90;

#[node]
fn split(start: Start) -> (Work, Other) {
    (Work { n: start.n }, Other { n: start.n })
}

#[node]
async fn other(other: Other, ctx: Context) -> Result<OtherDone, String> {
    body(&ctx, "other").await?;
    Ok(OtherDone { n: other.n })
}

#[node]
fn rescue(failure: Failure<Work>) -> Worked {
    Worked {
        n: code(failure.kind, failure.attempts),
    }
}

#[node]
fn meet(worked: Worked, _: OtherDone) -> End {
    End { n: worked.n }
}

/// A failure as a number.
fn code(kind: FailureKind, attempts: u32) -> u64 {
    let kind = match kind {
        FailureKind::Error => 1,
        FailureKind::Panic => 2,
        FailureKind::Timeout => 3,
        kind => panic!("{kind:?}"),
    };
    10 * u64::from(attempts) + kind
}

/// The three flows of a node with these policies.
macro_rules! flows {
    ($($name:ident[$retry:literal, $timeout:literal, $total_timeout:literal]($($policy:tt)*))+) => {$(
        mod $name {
            use super::*;

            pub(super) const POLICIES: Policies = Policies {
                retry: $retry,
                timeout: $timeout,
                total_timeout: $total_timeout,
            };

            #[node($($policy)*)]
            async fn work(work: Work, ctx: Context) -> Result<Worked, String> {
                body(&ctx, "work").await?;
                Ok(Worked { n: work.n })
            }

            #[flow(named)]
            pub(super) fn bare(start: Start) -> End {
                flow! { split -> fork(work, other) -> join(meet) }
            }

            #[flow(named)]
            pub(super) fn caught(start: Start) -> End {
                flow! { split -> fork(work, other) -> join(meet); catch(work) -> rescue -> meet }
            }

            #[flow(named, fail_fast = false)]
            pub(super) fn patient(start: Start) -> End {
                flow! { split -> fork(work, other) -> join(meet) }
            }
        }
    )+};
}

flows! {
    none[false, false, false]()
    retried[true, false, false](retry(max_attempts = 3, backoff = "10ms"))
    timed[false, true, false](timeout = "50ms")
    timed_and_retried[true, true, false](
        timeout = "50ms",
        retry(max_attempts = 3, backoff = "10ms")
    )
    limited[false, false, true](total_timeout = "90ms")
    limited_and_retried[true, false, true](
        total_timeout = "90ms",
        retry(max_attempts = 3, backoff = "10ms")
    )
    limited_and_timed[false, true, true](total_timeout = "90ms", timeout = "50ms")
    all[true, true, true](
        total_timeout = "90ms",
        timeout = "50ms",
        retry(max_attempts = 3, backoff = "10ms")
    )
}

#[derive(Clone, Copy, Debug)]
struct Policies {
    retry: bool,
    timeout: bool,
    total_timeout: bool,
}

/// How the node ends, and when.
#[derive(Clone, Copy, Debug)]
struct NodeEnd {
    failure: Option<FailureKind>,
    attempts: u32,
    at: u64,
}

/// How the node has to end; `None` if nothing would ever end it.
fn node_end(policies: Policies, acts: &[Act]) -> Option<NodeEnd> {
    let most = if policies.retry { ATTEMPTS } else { 1 };
    let mut at = 0;
    for (attempts, act) in (1..=most).zip(acts) {
        let limit = policies.timeout.then_some(TIMEOUT);
        let left = policies.total_timeout.then(|| TOTAL - at);
        let limit = limit.into_iter().chain(left).min();
        let (takes, outcome) = match act {
            Takes(time) => (Some(*time), None),
            FailsAfter(time) => (Some(*time), Some(FailureKind::Error)),
            Panics => (Some(0), Some(FailureKind::Panic)),
            _ => (None, None),
        };
        let took = takes.into_iter().chain(limit).min()?;
        let failure = match takes == Some(took) {
            true => outcome,
            false => Some(FailureKind::Timeout),
        };
        at += took;
        let is_over = policies.total_timeout && at + BACKOFF >= TOTAL;
        if failure.is_none() || attempts == most || is_over {
            return Some(NodeEnd {
                failure,
                attempts,
                at,
            });
        }
        at += BACKOFF;
    }
    None
}

/// Runs the flow until it is done or has failed, restored after each step if `restarts` has its clock.
async fn drive<F: FlowDef>(run: &mut FlowRuntime<F>, ctx: Context, restarts: Option<SystemClock>) {
    loop {
        match run.next(ctx.clone()).await {
            Ok(RunOut::Waiting { .. }) => run.wait().await,
            Ok(RunOut::Done(_)) | Err(_) => return,
            Ok(_) => {}
        }
        if let Some(clock) = restarts {
            *run = restart(run, clock);
        }
    }
}

/// Which of the three flows it is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Variant {
    Bare,
    Caught,
    Patient,
}

async fn check<F: FlowDef<Input = Start, Output = End>>(variant: Variant, policies: Policies) {
    let scripts = ACTS.into_iter().flat_map(|first| {
        let rest = ACTS
            .into_iter()
            .flat_map(|second| ACTS.map(|third| (second, third)));
        rest.map(move |(second, third)| [first, second, third])
    });
    for acts in scripts {
        let Some(end) = node_end(policies, &acts) else {
            continue;
        };
        for restarts in [false, true] {
            let case = (variant, policies, acts, restarts);
            let (play, clock) = (Play::default().with("work", acts), SystemClock::new());
            let mut run = FlowRuntime::<F>::start(Start { n: 0 })
                .unwrap()
                .with_clock(clock);
            let restarts = restarts.then_some(clock);
            let ((), took) = taking(drive(&mut run, play.ctx(), restarts)).await;
            assert_eq!(took, u128::from(end.at), "{case:?}");
            assert_eq!(play.count("work"), end.attempts as usize, "{case:?}");

            let output = run.output().unwrap().map(|end| end.n);
            let failed = match run.status() {
                RunStatus::Failed {
                    node,
                    kind,
                    attempts,
                    ..
                } => {
                    assert_eq!(node, "work", "{case:?}");
                    Some((kind, attempts))
                }
                _ => None,
            };
            let ends = match (end.failure, variant) {
                (None, _) => (Some(0), None),
                (Some(why), Variant::Caught) => (Some(code(why, end.attempts)), None),
                (Some(why), _) => (None, Some((why, end.attempts))),
            };
            assert_eq!((output, failed), ends, "{case:?}");

            // The other branch goes on while the node waits, and after it unless the run has failed.
            let goes_on = end.attempts > 1 || failed.is_none() || variant == Variant::Patient;
            assert_eq!(play.count("other"), usize::from(goes_on), "{case:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_attempt_is_timed_then_tried_again_then_caught_and_then_fails_the_run() {
    macro_rules! check {
        ($($name:ident)+) => {$(
            check::<$name::bare>(Variant::Bare, $name::POLICIES).await;
            check::<$name::caught>(Variant::Caught, $name::POLICIES).await;
            check::<$name::patient>(Variant::Patient, $name::POLICIES).await;
        )+};
    }
    check! {
        none retried timed timed_and_retried limited limited_and_retried limited_and_timed all
    }
}
