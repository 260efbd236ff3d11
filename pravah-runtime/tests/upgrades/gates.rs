//! Questions, times and attempts.

use std::time::{Duration, UNIX_EPOCH};

use pravah_runtime::{LoadOptions, ManualClock, RunStatus, prelude::*};

use crate::{refusal, steps, upgraded, upgraded_with};

macro_rules! version {
    ($name:ident, { $($check:tt)+ } { $($work:tt)+ }) => {
        mod $name {
            use pravah_runtime::prelude::*;

            crate::states!(Case, Claim, Job, Checked, Worked, Closed);

            #[node]
            fn open(case: Case) -> (Claim, Job) {
                (Claim { n: case.n }, Job { n: case.n })
            }

            $($check)+

            $($work)+

            #[node]
            fn close(checked: Checked, worked: Worked) -> Closed {
                Closed {
                    n: checked.n + worked.n,
                }
            }

            #[flow]
            fn desk(case: Case) -> Closed {
                flow! { open -> fork(check, work) -> join(close) }
            }
        }
    };
}

// A gate, beside a node that fails at each attempt.
version! { v1,
    {
        #[gate(prompt = "Well?", timeout = "24h")]
        fn check(claim: Claim, yes: bool) -> Checked {
            Checked {
                n: claim.n + u64::from(yes),
            }
        }
    }
    {
        #[node(retry(max_attempts = 3, backoff = "10s"))]
        fn work(job: Job) -> Result<Worked, String> {
            Err(format!("job {} broke", job.n))
        }
    }
}

/// The node is fixed, and something comes after.
mod v2 {
    use pravah_runtime::prelude::*;

    crate::states!(Case, Claim, Job, Checked, Worked, Filed, Closed);

    #[node]
    fn open(case: Case) -> (Claim, Job) {
        (Claim { n: case.n }, Job { n: case.n })
    }

    #[gate(prompt = "Is it so?")]
    fn check(claim: Claim, yes: bool) -> Checked {
        Checked {
            n: claim.n + u64::from(yes),
        }
    }

    #[node(retry(max_attempts = 3))]
    fn work(job: Job, ctx: Context) -> Worked {
        assert_eq!(ctx.step_key().as_deref(), Some("r/work(Job)#1"));
        Worked { n: job.n }
    }

    #[node]
    fn file(checked: Checked, worked: Worked) -> Filed {
        Filed {
            n: checked.n + worked.n,
        }
    }

    #[node]
    fn close(filed: Filed) -> Closed {
        Closed { n: 100 + filed.n }
    }

    #[flow]
    fn desk(case: Case) -> Closed {
        flow! { open -> fork(check, work) -> join(file) -> close }
    }
}

// The gate wants a number; and no person is asked at all.
version! { v3,
    {
        #[gate(prompt = "How many?")]
        fn check(claim: Claim, more: u64) -> Checked {
            Checked { n: claim.n + more }
        }
    }
    {
        #[node]
        fn work(job: Job) -> Worked {
            Worked { n: job.n }
        }
    }
}

version! { v4,
    {
        #[node]
        fn check(claim: Claim) -> Checked {
            Checked { n: claim.n }
        }
    }
    {
        #[node]
        fn work(job: Job) -> Worked {
            Worked { n: job.n }
        }
    }
}

/// A run whose gate has asked, and whose other node waits for its second attempt.
async fn asked() -> FlowRuntime<v1::Case> {
    let mut run = FlowRuntime::new(v1::Case { n: 1 })
        .unwrap()
        .with_run_id("r");
    let out = run.run(Context::default());
    // Its second attempt is ten seconds away.
    let out = tokio::time::timeout(std::time::Duration::from_secs(1), out).await;
    assert!(out.is_err());
    run
}

#[tokio::test(start_paused = true)]
async fn questions_times_and_attempts_move_with_their_nodes() {
    let run = asked().await;
    let before = serde_json::to_value(run.snapshot()).unwrap();
    let mut run = upgraded::<v2::Case, _>(&run);
    let after = serde_json::to_value(run.snapshot()).unwrap();
    for section in ["questions", "timers", "attempts", "gates", "states"] {
        assert!(!before[section].is_null(), "{section}");
        assert_eq!(before[section], after[section], "{section}");
    }
    assert!(run.load_report().unwrap().dropped.is_empty());
    let out = run.run(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { tool_id, .. } if tool_id == "check"));
    let out = run.answer(Context::default(), "check", true).await.unwrap();
    assert_eq!(out, RunOut::Continue);
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(v2::Closed { n: 103 }));
}

#[tokio::test(start_paused = true)]
async fn a_gate_that_wants_another_answer_is_refused_or_asks_again() {
    let run = asked().await;
    let help = "; `LoadOptions::drop_progress` would let it start over";
    assert_eq!(
        refusal::<v3::Case, _>(&run),
        format!(
            "`Claim` started when it returned `Checked (answer: boolean)`, and now returns `Checked (answer: \
             uint64)`{help}"
        )
    );
    assert_eq!(
        refusal::<v4::Case, _>(&run),
        format!(
            "a run inside `check` cannot go on there: it was a gate that returns `Checked (answer: boolean)`, and is \
             `check`, which does its work in a single step{help}"
        )
    );
    let options = LoadOptions::new().drop_progress();
    let mut again = upgraded_with::<v3::Case, _>(&run, &options).unwrap();
    let dropped = &again.load_report().unwrap().dropped;
    let dropped: Vec<_> = dropped.iter().map(|it| &*it.entry).collect();
    assert_eq!(
        dropped,
        ["/gates/Claim", "/questions/check", "/timers/Claim"]
    );
    assert_eq!(again.status(), RunStatus::Ready);
    let out = again.run(Context::default()).await.unwrap();
    let RunOut::Suspend { value, .. } = out else {
        panic!("{out:?}")
    };
    assert_eq!(value["prompt"], "How many?");
    again.answer(Context::default(), "check", 5).await.unwrap();
    let out = again.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(v3::Closed { n: 7 }));
    // Nobody has to be asked any more.
    let mut unasked = upgraded_with::<v4::Case, _>(&run, &options).unwrap();
    let out = unasked.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(v4::Closed { n: 2 }));
}

#[tokio::test(start_paused = true)]
async fn drop_progress_keeps_what_is_still_usable() {
    let run = asked().await;
    let options = LoadOptions::new().drop_progress();
    let same = upgraded_with::<v1::Case, _>(&run, &options).unwrap();
    let text = |snapshot| serde_json::to_string::<FlowSnapshot>(&snapshot).unwrap();
    assert_eq!(text(same.snapshot()), text(run.snapshot()));
    assert!(same.load_report().unwrap().dropped.is_empty());
}

#[tokio::test]
async fn an_answer_that_came_is_kept_where_it_can_be_read() {
    let mut run = FlowRuntime::new(v1::Case { n: 1 }).unwrap();
    steps(&mut run, 2).await;
    let mut json = serde_json::to_value(run.snapshot()).unwrap();
    json["gates"]["Claim"]["answered"] = true.into();
    json["gates"]["Claim"]["answer"] = "yes".into();
    json.as_object_mut().unwrap().remove("questions");
    json.as_object_mut().unwrap().remove("timers");
    json["ready"]["Claim"] = 0.into();
    let snapshot: FlowSnapshot = serde_json::from_value(json).unwrap();
    let run = FlowRuntime::<v1::Case>::from_snapshot(snapshot).unwrap();
    let why = refusal::<v2::Case, _>(&run);
    assert!(
        why.starts_with("the answer of `Claim` cannot be read"),
        "{why}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_gate_that_has_asked_needs_its_question() {
    let mut json = serde_json::to_value(asked().await.snapshot()).unwrap();
    json.as_object_mut().unwrap().remove("questions");
    let snapshot: FlowSnapshot = serde_json::from_value(json).unwrap();
    let error = FlowRuntime::<v1::Case>::from_snapshot(snapshot.clone())
        .err()
        .unwrap();
    assert!(
        error
            .to_string()
            .ends_with("`check` has asked, and its question is not there"),
        "{error}"
    );
    let options = LoadOptions::new().drop_progress();
    let mut run = FlowRuntime::<v1::Case>::from_snapshot_with(snapshot, &options).unwrap();
    let out = run.next(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { tool_id, .. } if tool_id == "check"));
}

#[tokio::test(start_paused = true)]
async fn a_question_says_by_when_it_has_to_be_answered() {
    let clock = ManualClock::new(UNIX_EPOCH);
    let mut run = FlowRuntime::new(v1::Case { n: 1 })
        .unwrap()
        .with_clock(clock);
    steps(&mut run, 2).await;
    let open = run.suspensions();
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].until, Some(UNIX_EPOCH + Duration::from_hours(24)));
    let after = upgraded::<v2::Case, _>(&run).suspensions();
    assert_eq!(after, open);
}
