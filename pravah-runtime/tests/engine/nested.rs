//! Flows within flows: names, inputs, restarts.

use pravah_runtime::{Context, Either, Flow, FlowError, FlowGraph, FlowRuntime, RunOut};
use serde_json::json;

use crate::engine_support::{Log, json, ran, restart, states};

states!(
    Outer, Middle, Inner, Draft, Good, Checked, Inside, Ready, Out
);

/// Inner -> Draft -> (Good | Draft again), with a choice whose keys are prefixed.
impl Flow for Inner {
    type Output = Checked;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .work::<Inner, Draft, _, _>(|inner, ctx| async move {
                ran(&ctx, &ctx.step_key().unwrap_or_default());
                Ok(Draft { n: inner.n })
            })
            .either::<Draft, Good, Inside, _>(|draft, _| {
                Ok(match draft.n {
                    0..5 => Either::Right(Inside { n: draft.n + 1 }),
                    n => Either::Left(Good { n }),
                })
            })
            .work::<Inside, Draft, _, _>(|inside, _| async move { Ok(Draft { n: inside.n }) })
            .work::<Good, Checked, _, _>(|good, ctx| async move {
                Ok(Checked {
                    n: good.n * 100 + ctx.input::<Inner>()?.n * 10 + ctx.input::<Outer>()?.n,
                })
            })
            .build()
    }
}

/// Middle -> Inner, inlined -> Ready.
impl Flow for Middle {
    type Output = Ready;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .work::<Middle, Inner, _, _>(|middle, _| async move { Ok(Inner { n: middle.n + 1 }) })
            .flow::<Inner>()
            .work::<Checked, Ready, _, _>(|checked, ctx| async move {
                assert!(ctx.input::<Inner>().is_err(), "the inner flow has ended");
                Ok(Ready {
                    n: checked.n + ctx.input::<Middle>()?.n * 1000,
                })
            })
            .build()
    }
}

impl Flow for Outer {
    type Output = Out;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .work::<Outer, Middle, _, _>(|outer, _| async move { Ok(Middle { n: outer.n + 1 }) })
            .flow::<Middle>()
            .work::<Ready, Out, _, _>(|ready, ctx| async move {
                assert!(ctx.input::<Middle>().is_err(), "the nested flow has ended");
                Ok(Out {
                    n: ready.n + ctx.input::<Outer>()?.n,
                })
            })
            .build()
    }
}

/// The keys of the waiting states, step by step.
async fn keys(run: &mut FlowRuntime<Outer>) -> Vec<String> {
    let mut keys = Vec::new();
    while run.next(Context::default()).await.unwrap() == RunOut::Continue {
        keys.extend(json(run)["states"].as_object().unwrap().keys().cloned());
    }
    keys
}

// S1.22, S1.23
#[tokio::test]
async fn the_entry_and_exit_of_a_nested_flow_keep_their_names_and_all_else_is_prefixed() {
    let mut run = FlowRuntime::new(Outer { n: 2 }).unwrap();
    let expected = [
        "Middle",
        "Middle::Inner",
        "Middle::Inner::Draft",
        "Middle::Inner::Inside",
        "Middle::Inner::Draft",
        "Middle::Inner::Good",
        "Middle::Checked",
        "Ready",
    ];
    assert_eq!(keys(&mut run).await, expected);
}

#[tokio::test]
async fn nodes_of_a_nested_flow_are_prefixed() {
    let log = Log::default();
    let mut run = FlowRuntime::new(Outer { n: 2 }).unwrap().with_run_id("r");
    run.run(log.ctx()).await.unwrap();
    assert_eq!(log.entries(), ["r/Middle::Inner::Inner(Middle::Inner)#1"]);
}

// Good = 5, inner = 4, middle = 3, outer = 2.
const OUT: u64 = 5 * 100 + 4 * 10 + 2 + 3 * 1000 + 2;

#[tokio::test]
async fn each_flow_sees_its_own_input_and_those_around_it() {
    let mut run = FlowRuntime::new(Outer { n: 2 }).unwrap();
    assert_eq!(
        run.run(Context::default()).await.unwrap(),
        RunOut::Done(Out { n: OUT })
    );
}

#[tokio::test]
async fn a_nested_flow_goes_on_after_a_restart_at_every_step() {
    let mut run = FlowRuntime::new(Outer { n: 2 }).unwrap();
    loop {
        run = restart(&run);
        match run.next(Context::default()).await.unwrap() {
            RunOut::Continue => {}
            out => break assert_eq!(out, RunOut::Done(Out { n: OUT })),
        }
    }
}

#[tokio::test]
async fn a_snapshot_holds_the_inputs_of_the_flows_that_have_not_ended() {
    let mut run = FlowRuntime::new(Outer { n: 2 }).unwrap();
    let mut seen = Vec::new();
    loop {
        let json = json(&run);
        let inputs = json["inputs"].as_object().map_or(0, |it| it.len());
        // One that still waits is among the states.
        let waits =
            |flow: &&&str| !json["states"][**flow].is_null() && json["inputs"][**flow].is_null();
        let inputs = inputs + ["Outer", "Middle", "Inner"].iter().filter(waits).count();
        if seen.last() != Some(&inputs) {
            seen.push(inputs);
        }
        if run.next(Context::default()).await.unwrap() != RunOut::Continue {
            break;
        }
    }
    assert_eq!(seen, [1, 2, 3, 2, 1]);
}

#[tokio::test]
async fn an_error_within_names_the_node_with_its_prefix() {
    states!(Shell, Core, Hull);

    impl Flow for Core {
        type Output = Hull;

        fn build() -> Result<FlowGraph, FlowError> {
            FlowGraph::builder()
                .work::<Core, Hull, _, _>(|_, _| async { Err(FlowError::other("cracked")) })
                .build()
        }
    }

    impl Flow for Shell {
        type Output = Hull;

        fn build() -> Result<FlowGraph, FlowError> {
            FlowGraph::builder()
                .work::<Shell, Core, _, _>(|_, _| async { Ok(Core { n: 0 }) })
                .flow::<Core>()
                .build()
        }
    }

    let error = FlowRuntime::new(Shell { n: 0 })
        .unwrap()
        .run(Context::default())
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "node `Core::Core` failed: cracked");
}

// S1.44: a nested flow on a loop starts afresh each time, under step keys of its own.
#[tokio::test]
async fn a_nested_flow_on_a_loop_has_a_visit_for_each_round() {
    states!(Rounds, Round, Turned, Finished);

    impl Flow for Round {
        type Output = Turned;

        fn build() -> Result<FlowGraph, FlowError> {
            FlowGraph::builder()
                .work::<Round, Turned, _, _>(|round, ctx| async move {
                    ran(&ctx, &ctx.step_key().unwrap());
                    assert_eq!(ctx.input::<Round>()?.n, round.n);
                    Ok(Turned { n: round.n - 1 })
                })
                .build()
        }
    }

    impl Flow for Rounds {
        type Output = Finished;

        fn build() -> Result<FlowGraph, FlowError> {
            FlowGraph::builder()
                .work::<Rounds, Round, _, _>(|rounds, _| async move { Ok(Round { n: rounds.n }) })
                .flow::<Round>()
                .either::<Turned, Round, Finished, _>(|turned, _| {
                    Ok(match turned.n {
                        0 => Either::Right(Finished { n: 0 }),
                        n => Either::Left(Round { n }),
                    })
                })
                .build()
        }
    }

    let log = Log::default();
    let mut run = FlowRuntime::new(Rounds { n: 2 }).unwrap().with_run_id("r");
    run.run(log.ctx()).await.unwrap();
    assert_eq!(
        log.entries(),
        ["r/Round::Round(Round)#1", "r/Round::Round(Round)#2"]
    );
    assert_eq!(json(&run)["visits"], json!({ "Round": 2, "Turned": 2 }));
}

#[tokio::test]
async fn a_state_that_waits_in_a_nested_flow_can_be_peeked_at() {
    let mut run = FlowRuntime::new(Outer { n: 7 }).unwrap();
    while run.peek::<Draft>().is_none() {
        run.next(Context::default()).await.unwrap();
    }
    assert!(
        json(&run)["states"]
            .as_object()
            .unwrap()
            .keys()
            .all(|key| key.ends_with("::Draft"))
    );
    let states = json(&run)["states"].clone();
    let waiting = states.as_object().unwrap().values().next().unwrap();
    assert_eq!(run.peek::<Draft>().unwrap().n, waiting["n"]);
}
