//! A body that takes too long is dropped, and told.

use std::sync::{Arc, Mutex};

use pravah_runtime::{SystemClock, prelude::*};

use crate::support::{
    Act::*, Models, Play, Turn, body, is_failed, job, ms, restart, states, taking,
};

job! {
    #[node(timeout = "50ms")]
}

#[tokio::test(start_paused = true)]
async fn a_body_that_hangs_is_dropped_when_its_time_has_passed() {
    let play = Play::default().with("work", [Hangs, Takes(51), Takes(49)]);
    let mut run = bare::start(Job { n: 1 }).unwrap();
    for _ in 0..2 {
        let (out, took) = taking(run.next(play.ctx())).await;
        let error = out.unwrap_err();
        assert!(
            matches!(&error, FlowError::TimedOut { node, limit, .. } if node == "work" && *limit == ms(50)),
            "{error}"
        );
        assert_eq!(took, 50);
        assert!(is_failed(&run));
    }
    assert_eq!(play.log(), ["work", "work dropped", "work", "work dropped"]);
    let out = run.next(play.ctx()).await.unwrap();
    assert_eq!(out, RunOut::Done(Done { n: 1 }));
}

mod short {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    states!(Start, Ended);

    impl Flow for Start {
        type Output = Ended;

        fn build() -> Result<FlowGraph, FlowError> {
            FlowGraph::builder()
                .work::<Start, Ended, _, _>(|start, _| async move { Ok(Ended { n: start.n }) })
                .policy(Policy::new().timeout(Duration::from_micros(900)))
                .build()
        }
    }

    #[tokio::test]
    async fn a_limit_below_a_millisecond_lets_a_body_run_that_never_awaits() {
        let run = FlowRuntime::new(Start { n: 1 }).unwrap();
        let mut run = run.with_clock(ManualClock::new(UNIX_EPOCH));
        let out = run.run(Context::default()).await.unwrap();
        assert_eq!(out, RunOut::Done(Ended { n: 1 }));
    }
}

mod told {
    use super::*;

    states!(Start, Seen);

    /// What a task outside the body saw.
    #[derive(Clone, Default)]
    struct Witness(Arc<Mutex<Vec<u128>>>);

    #[node(timeout = "50ms", retry(max_attempts = 2, backoff = "1s"))]
    async fn watch(start: Start, ctx: Context) -> Result<Seen, String> {
        let witness = Witness::clone(&ctx.dep::<Witness>().unwrap());
        let began = tokio::time::Instant::now();
        let task_ctx = ctx.clone();
        tokio::spawn(async move {
            task_ctx.cancelled().await;
            assert!(task_ctx.is_cancelled());
            witness.0.lock().unwrap().push(began.elapsed().as_millis());
        });
        body(&ctx, "watch").await?;
        assert!(!ctx.is_cancelled());
        Ok(Seen { n: start.n })
    }

    #[flow(named)]
    fn eyes(start: Start) -> Seen {
        flow! { watch }
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_body_has_spawned_is_told_when_its_time_has_passed() {
        let play = Play::default().with("watch", [Hangs, Takes(10)]);
        let witness = Witness::default();
        let mut run = eyes::start(Start { n: 1 }).unwrap();
        let out = run.run(play.ctx().with_dep(witness.clone())).await.unwrap();
        assert_eq!(out, RunOut::Done(Seen { n: 1 }));
        tokio::time::sleep(ms(1_000)).await;
        // The attempt that did not end, and not the one that did.
        assert_eq!(*witness.0.lock().unwrap(), [50]);
    }

    #[tokio::test(start_paused = true)]
    async fn and_when_the_run_is_cancelled() {
        let play = Play::default().with("watch", [Hangs]);
        let witness = Witness::default();
        let run = eyes::start(Start { n: 1 }).unwrap();
        let mut run = run.with_cancel_grace(ms(20));
        {
            let ctx = play.ctx().with_dep(witness.clone());
            let mut step = std::pin::pin!(run.next(ctx));
            assert!(futures_util::poll!(step.as_mut()).is_pending());
        }
        // A dropped step is none in flight; the task that it left behind is told all the same.
        tokio::time::sleep(ms(5)).await;
        run.cancel("enough").await.unwrap();
        tokio::time::sleep(ms(100)).await;
        assert_eq!(*witness.0.lock().unwrap(), [5]);
    }
}

mod agents {
    use super::*;

    states!(Note, Verdict);

    /// Takes its time.
    #[tool]
    async fn look(ctx: Context) -> Result<u32, String> {
        body(&ctx, "look").await?;
        Ok(1)
    }

    /// Asks a person.
    #[tool]
    async fn ask(ctx: Context) -> Result<u32, ToolError> {
        match ctx.resumed::<u32>()? {
            Some(answer) => Ok(answer),
            None => Err(ToolError::suspend("Well?")),
        }
    }

    #[agent(model = "openai://m", preamble = "", output = Verdict, tools = [look, ask], timeout = "100ms", total_timeout = "1s")]
    fn triage(_: &Note) -> String {
        "Well?".into()
    }

    #[flow(named)]
    fn support(note: Note) -> Verdict {
        flow! { triage }
    }

    async fn outcome(turns: Vec<Turn>, looks: u64) -> (Result<(), FlowError>, u128) {
        let models = Models::default().with("triage", turns);
        let play = Play::default().with("look", [Takes(looks)]);
        let run = support::start(Note { n: 1 }).unwrap();
        let mut run = run.with_factory(models.factory());
        let (out, took) = taking(run.run(play.ctx())).await;
        (out.map(|out| assert!(matches!(out, RunOut::Done(_)))), took)
    }

    const SUBMIT: &str = "submit";

    #[tokio::test(start_paused = true)]
    async fn the_time_of_an_agent_spans_model_calls_tools_and_waits() {
        for (first, looks, second) in [(90, 20, 0), (40, 70, 0), (30, 30, 50)] {
            let turns = vec![Turn::Calls(first, "look"), Turn::Calls(second, SUBMIT)];
            let (out, took) = outcome(turns, looks).await;
            let error = out.unwrap_err();
            assert!(matches!(error, FlowError::TimedOut { .. }), "{error}");
            assert_eq!(took, 100);
        }
        for turns in [
            vec![Turn::Busy(40), Turn::Calls(70, SUBMIT)],
            vec![Turn::Hangs],
            vec![Turn::Calls(60, "look"), Turn::Hangs],
        ] {
            let (out, took) = outcome(turns, 0).await;
            let error = out.unwrap_err();
            assert!(matches!(error, FlowError::TimedOut { .. }), "{error}");
            assert_eq!(took, 100);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_model_that_is_busy_for_longer_is_not_waited_for() {
        let (out, took) = outcome(vec![Turn::Busy(5_000), Turn::Calls(0, SUBMIT)], 0).await;
        let error = out.unwrap_err();
        assert!(matches!(error, FlowError::TimedOut { .. }), "{error}");
        assert_eq!(took, 100);
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_in_which_it_waits_for_a_person_does_not_count() {
        let models =
            Models::default().with("triage", [Turn::Calls(40, "ask"), Turn::Calls(40, SUBMIT)]);
        let clock = SystemClock::new();
        let run = support::start(Note { n: 1 }).unwrap();
        let mut run = run.with_factory(models.factory()).with_clock(clock);
        let RunOut::Suspend { tool_id, .. } = run.run(Context::default()).await.unwrap() else {
            panic!("nobody asks");
        };
        tokio::time::sleep(ms(100_000)).await;
        run = restart(&run, clock).with_factory(models.factory());
        run.answer(Context::default(), &tool_id, 1).await.unwrap();
        let error = run.run(Context::default()).await;
        // `submit` had no arguments: that is repaired, or not, but no timeout.
        assert!(
            !matches!(error, Err(FlowError::TimedOut { .. })),
            "{error:?}"
        );
    }
}
