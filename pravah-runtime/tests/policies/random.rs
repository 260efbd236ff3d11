//! Whatever the bodies do, and however often a run is dropped and restored: it ends as it would undisturbed, with
//! one body at a time.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use pravah_runtime::{
    Clock, Entries, RunStatus, Sleep, StepKind, SystemClock, WaitReason, prelude::*,
};
use proptest::prelude::*;

use crate::{
    random_flow::{Dice, End, Start},
    support::{json, ms, restart},
};

/// What happens to a run, step by step.
#[derive(Clone, Copy, Debug)]
enum Disturbance {
    None,
    /// The future of a step is dropped after so many milliseconds.
    Drop(u64),
    /// The run goes on in another process.
    Restart,
    /// Nobody calls for so many milliseconds: to the run, its clock jumps forward.
    Idle(u64),
    /// The clock is set back by so many milliseconds.
    SetBack(u64),
    /// The run is paused until nothing is in flight, and restarted.
    Pause,
    /// The step that takes an answer is dropped.
    DropAnswer,
}

/// A clock that can be set back.
#[derive(Clone)]
struct AdjustableClock {
    system: SystemClock,
    milliseconds_behind: Arc<AtomicU64>,
}

impl AdjustableClock {
    fn new() -> Self {
        Self {
            system: SystemClock::new(),
            milliseconds_behind: Arc::default(),
        }
    }

    fn set_back(&self, milliseconds: u64) {
        self.milliseconds_behind
            .fetch_add(milliseconds, Ordering::Relaxed);
    }

    fn behind(&self) -> Duration {
        ms(self.milliseconds_behind.load(Ordering::Relaxed))
    }
}

impl Clock for AdjustableClock {
    fn now(&self) -> SystemTime {
        self.system.now() - self.behind()
    }

    fn sleep_until(&self, until: SystemTime) -> Sleep {
        self.system.sleep_until(until + self.behind())
    }
}

/// What came of a run.
#[derive(Debug, PartialEq)]
struct Story {
    end: End,
    /// How often each step was committed, but for those of the flow that a `catch` may end at any point.
    commits: BTreeMap<String, usize>,
    effects: BTreeSet<String>,
}

async fn play(n: u64, seed: u64, concurrency: usize, disturbances: &[Disturbance]) -> Story {
    let dice = Dice::new(seed);
    let mut stored = Entries::default();
    let ctx = Context::default().with_dep(dice.clone());
    let clock = AdjustableClock::new();
    let mut run = FlowRuntime::new(Start { n })
        .unwrap()
        .with_run_id("run")
        .with_clock(clock.clone())
        .with_concurrency(concurrency);
    store(&mut run, &mut stored);
    let is_answered = dice.roll("answer", 3) > 0;
    let mut disturbances = disturbances.iter().copied().peekable();
    let mut commits = BTreeMap::new();
    let mut last = 0;
    for _ in 0..3_000 {
        if is_answered
            && let Some(open) = run.suspensions().first()
            && !matches!(run.status(), RunStatus::Done)
        {
            let drops = matches!(disturbances.peek(), Some(Disturbance::DropAnswer));
            let answer = run.answer(ctx.clone(), &open.tool_id, 7_u64);
            match tokio::time::timeout(ms(if drops { 1 } else { 1_000 }), answer).await {
                Ok(out) => drop(out.unwrap()),
                Err(_) => assert!(drops, "an answer that does not end"),
            }
            store(&mut run, &mut stored);
            note(&run, &mut last, &mut commits);
            continue;
        }
        let wait = match disturbances.next().unwrap_or(Disturbance::None) {
            Disturbance::None | Disturbance::DropAnswer => None,
            Disturbance::Pause => {
                run.pause();
                None
            }
            Disturbance::Drop(after) => Some(after),
            Disturbance::Restart => {
                run = from_store(&run, &stored, &clock).with_concurrency(concurrency);
                None
            }
            Disturbance::Idle(time) => {
                tokio::time::sleep(ms(time)).await;
                None
            }
            Disturbance::SetBack(time) => {
                clock.set_back(time);
                None
            }
        };
        let step = run.next(ctx.clone());
        let out = match wait {
            Some(after) => match tokio::time::timeout(ms(after), step).await {
                Ok(out) => out,
                Err(_) => {
                    store(&mut run, &mut stored);
                    continue;
                }
            },
            None => step.await,
        };
        store(&mut run, &mut stored);
        note(&run, &mut last, &mut commits);
        match out {
            Ok(RunOut::Waiting {
                why: WaitReason::Paused,
                ..
            }) => {
                run = from_store(&run, &stored, &clock).with_concurrency(concurrency);
                run.unpause();
                store(&mut run, &mut stored);
            }
            Ok(RunOut::Continue | RunOut::Suspend { .. }) => {}
            Ok(RunOut::Done(end)) => {
                assert_eq!(run.status(), RunStatus::Done);
                assert_eq!(run.output().unwrap().as_deref(), Some(&end));
                let effects = dice.effects();
                return Story {
                    end,
                    commits,
                    effects: effects.into_iter().filter(|key| !in_inner(key)).collect(),
                };
            }
            Ok(RunOut::Waiting { .. }) => run.wait().await,
            // Nobody answers.
            Err(FlowError::ResumeRequired(_)) => tokio::time::sleep(ms(50)).await,
            Err(error) => panic!("{error}: {}", json(&run)),
        }
    }
    panic!("it does not end: {}", json(&run))
}

/// Stores what has changed.
fn store(run: &mut FlowRuntime<Start>, stored: &mut Entries) {
    stored.apply(run.take_changes().unwrap());
    let snapshot = FlowSnapshot::from_entries(stored).unwrap();
    assert_eq!(serde_json::to_value(snapshot).unwrap(), json(run));
}

/// The run as another process finds it in a store.
fn from_store(
    run: &FlowRuntime<Start>,
    stored: &Entries,
    clock: &AdjustableClock,
) -> FlowRuntime<Start> {
    let snapshot = FlowSnapshot::from_entries(stored).unwrap();
    let restored = FlowRuntime::from_snapshot(snapshot).unwrap();
    let mut restored = restored.with_clock(clock.clone());
    assert_eq!(json(&restored), json(run));
    // The store has it all.
    restored.take_changes().unwrap();
    restored
}

/// Notes the step that was committed, if there was one.
fn note(run: &FlowRuntime<Start>, last: &mut u64, commits: &mut BTreeMap<String, usize>) {
    let Some(step) = run.last_step() else { return };
    if step.step == *last {
        return;
    }
    assert_eq!(step.step, *last + 1, "a step that nobody saw: {step}");
    *last = step.step;
    if step.kind != StepKind::FailedAttempt && !in_inner(&step.node) {
        *commits
            .entry(format!("{}{:?}{:?}", step.node, step.items, step.kind))
            .or_default() += 1;
    }
}

fn in_inner(name: &str) -> bool {
    ["inner::", "Inner::", "split", "left", "right", "meet"]
        .iter()
        .any(|inner| name.contains(inner))
}

fn disturbance() -> impl Strategy<Value = Disturbance> {
    prop_oneof![
        3 => Just(Disturbance::None),
        2 => (0_u64..12).prop_map(Disturbance::Drop),
        2 => Just(Disturbance::Restart),
        1 => (1_u64..30).prop_map(Disturbance::Idle),
        1 => (1_u64..3_000).prop_map(Disturbance::SetBack),
        1 => Just(Disturbance::Pause),
        1 => Just(Disturbance::DropAnswer),
    ]
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
}

#[test]
fn a_run_comes_to_the_same_wherever_it_is_dropped_restarted_or_paused() {
    let kinds = [
        Disturbance::Drop(0),
        Disturbance::Restart,
        Disturbance::Pause,
    ];
    for seed in 1..=4 {
        let expected = runtime().block_on(play(5, seed, 1, &[]));
        let steps: usize = expected.commits.values().sum();
        assert!(steps > 10, "a flow of {steps} steps has few points");
        for point in 0..=steps {
            for kind in kinds {
                let mut disturbances = vec![Disturbance::None; point];
                disturbances.push(kind);
                let story = runtime().block_on(play(5, seed, 8, &disturbances));
                assert_eq!(story, expected, "{kind:?} after {point} steps, seed {seed}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 100,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_run_comes_to_the_same_however_it_is_disturbed(
        n in 0_u64..8,
        seed: u64,
        disturbances in prop::collection::vec(disturbance(), 0..60),
    ) {
        runtime().block_on(async {
            let expected = play(n, seed, 1, &[]).await;
            for concurrency in [1, 2, 8] {
                let story = play(n, seed, concurrency, &disturbances).await;
                prop_assert_eq!(&story.end, &expected.end);
                prop_assert_eq!(&story.commits, &expected.commits);
                prop_assert_eq!(&story.effects, &expected.effects);
            }
            Ok(())
        })?;
    }

    #[test]
    fn a_run_that_is_cancelled_at_any_point_is_over(
        n in 0_u64..8,
        seed: u64,
        steps in 0_usize..40,
        time in 0_u64..20,
        grace in 0_u64..10,
    ) {
        runtime().block_on(async {
            let ctx = Context::default().with_dep(Dice::new(seed));
            for concurrency in [1, 2, 8] {
                let run = FlowRuntime::new(Start { n }).unwrap();
                let mut run = run.with_concurrency(concurrency).with_cancel_grace(ms(grace));
                for _ in 0..steps {
                    let step = run.next(ctx.clone());
                    if tokio::time::timeout(ms(time), step).await.is_ok_and(|out| out.is_err()) {
                        break;
                    }
                }
                if run.status() == RunStatus::Done {
                    continue;
                }
                let before = json(&run);
                run.cancel("enough").await.unwrap();
                let after = json(&run);
                prop_assert_eq!(&after["states"], &before["states"]);
                prop_assert_eq!(&after["steps"], &before["steps"]);
                for mut run in [restart(&run, SystemClock::new()), run] {
                    let error = run.next(ctx.clone()).await.unwrap_err();
                    let is_cancelled = matches!(error, FlowError::Cancelled { .. });
                    prop_assert!(is_cancelled);
                    prop_assert_eq!(&json(&run), &after);
                }
            }
            Ok(())
        })?;
    }
}
