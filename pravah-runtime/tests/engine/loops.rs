//! Loops: their visits, their step keys, their limit.

use pravah_runtime::{Context, Either, Flow, FlowError, FlowGraph, FlowRuntime, RunOut};

use crate::engine_support::{Log, json, ran, restart, states};

states!(Keyed, Passed, Turn);

/// Makes `Keyed` fail.
struct Trouble;

impl Flow for Keyed {
    type Output = Passed;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .either::<Keyed, Turn, Passed, _>(|keyed, ctx| {
                ran(&ctx, &ctx.step_key().unwrap());
                if ctx.dep::<Trouble>().is_ok() {
                    return Err(FlowError::other("no"));
                }
                Ok(match keyed.n {
                    0 => Either::Right(Passed { n: 0 }),
                    n => Either::Left(Turn { n: n - 1 }),
                })
            })
            .work::<Turn, Keyed, _, _>(|turn, ctx| async move {
                ran(&ctx, &ctx.step_key().unwrap());
                Ok(Keyed { n: turn.n })
            })
            .build()
    }
}

#[tokio::test]
async fn a_step_key_is_the_same_for_every_attempt_and_no_other_step() {
    let log = Log::default();
    let mut run = FlowRuntime::new(Keyed { n: 2 }).unwrap().with_run_id("r");
    loop {
        let failing = log.ctx().with_dep(Trouble);
        let out = match run.next(failing).await {
            Ok(out) => out,
            Err(_) => {
                run = restart(&run);
                run.next(log.ctx()).await.unwrap()
            }
        };
        if out != RunOut::Continue {
            break;
        }
    }
    let expected = [
        "r/Keyed#1",
        "r/Keyed#1",
        "r/Turn#1",
        "r/Keyed#2",
        "r/Keyed#2",
        "r/Turn#2",
        "r/Keyed#3",
        "r/Keyed#3",
    ];
    assert_eq!(log.entries(), expected);
}

#[test]
fn outside_a_run_there_is_no_step_key() {
    assert_eq!(Context::default().step_key(), None);
    assert!(Context::default().input::<Keyed>().is_err());
}

// S1.44
#[tokio::test]
async fn a_runaway_loop_is_an_error_that_names_the_loop_also_after_a_restart() {
    let mut run = FlowRuntime::new(Keyed { n: u64::MAX }).unwrap();
    for _ in 0..2_000 {
        run.next(Context::default()).await.unwrap();
    }
    assert_eq!(
        json(&run)["visits"],
        serde_json::json!({ "Keyed": 1000, "Turn": 1000 })
    );
    for mut run in [restart(&run), run] {
        let error = run.next(Context::default()).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "node `Keyed` ran 1000 times, as often as `max_visits` allows, on the loop `Keyed -> Turn -> Keyed`"
        );
    }
}

states!(Draft, Revised, Final);

impl Flow for Draft {
    type Output = Final;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .either::<Draft, Revised, Final, _>(|draft, ctx| {
                let first = ctx.input::<Draft>()?.n;
                Ok(match draft.n - first {
                    3 => Either::Right(Final { n: first }),
                    _ => Either::Left(Revised { n: draft.n }),
                })
            })
            .work::<Revised, Draft, _, _>(
                |revised, _| async move { Ok(Draft { n: revised.n + 1 }) },
            )
            .build()
    }
}

// language.md section 2: whoever needs the flow's input deep inside reads it from the context.
#[tokio::test]
async fn a_loop_back_to_where_a_flow_begins_leaves_its_input_as_it_was() {
    let mut run = FlowRuntime::new(Draft { n: 7 }).unwrap();
    loop {
        run = restart(&run);
        match run.next(Context::default()).await.unwrap() {
            RunOut::Continue => {}
            out => break assert_eq!(out, RunOut::Done(Final { n: 7 })),
        }
    }
}
