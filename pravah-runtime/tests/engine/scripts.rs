//! Scripts in runs: which answer a visit gets, and what is wrong with a script.

use std::sync::Arc;

use pravah_runtime::{
    Agent, AgentConfig, ClientFactory, Context, Either, Failure, Flow, FlowError, FlowGraph,
    FlowRuntime, ModelClient, ModelFuture, ModelRequest, RunOut, ScriptedModel, ScriptedTurn,
};
use serde_json::json;

use crate::engine_support::{json, restart, states};

states!(
    Draft, Written, Good, Bad, Twice, Tried, Around, AroundEnd, Again
);

fn writer() -> AgentConfig {
    AgentConfig::new("You write.", "openai://m").max_repairs(1)
}

impl Agent for Draft {
    type Output = Written;

    fn build() -> AgentConfig {
        writer()
    }
}

/// Writes until it is more than 9.
impl Flow for Draft {
    type Output = Good;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .agent::<Draft>()
            .either::<Written, Good, Bad, _>(|written, _| {
                Ok(match written.n > 9 {
                    true => Either::Left(Good { n: written.n }),
                    false => Either::Right(Bad { n: written.n }),
                })
            })
            .work::<Bad, Draft, _, _>(|bad, _| async move { Ok(Draft { n: bad.n }) })
            .build()
    }
}

fn written(n: u64) -> serde_json::Value {
    json!({ "n": n })
}

/// Three visits: one answer, two with a repair between them, and one.
fn three_visits() -> ScriptedModel {
    ScriptedModel::new()
        .reply("Draft", written(1))
        .text("Draft", "no JSON")
        .reply("Draft", written(2))
        .reply("Draft", written(10))
}

fn draft(script: &ScriptedModel) -> FlowRuntime<Draft> {
    let factory = ClientFactory::new().with_scripted(script.clone());
    FlowRuntime::new(Draft { n: 0 })
        .unwrap()
        .with_factory(factory)
}

#[tokio::test]
async fn a_second_visit_takes_the_next_answers() {
    let script = three_visits();
    let out = draft(&script).run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Good { n: 10 }));
    script.assert_used();
}

#[tokio::test]
async fn a_run_that_is_restored_at_every_step_gets_the_same_answers_from_a_new_script() {
    let mut run = draft(&three_visits());
    let mut steps = 0;
    let out = loop {
        match run.next(Context::default()).await.unwrap() {
            RunOut::Continue => {}
            out => break out,
        }
        steps += 1;
        assert!(steps < 20, "it goes on for ever");
        // Another process: nothing is left but the snapshot and the script's text.
        let factory = ClientFactory::new().with_scripted(three_visits());
        run = restart(&run).with_factory(factory);
    };
    assert_eq!(out, RunOut::Done(Good { n: 10 }));
}

#[tokio::test]
async fn a_step_that_was_dropped_has_taken_no_answer() {
    struct Slow(ScriptedModel);

    impl ModelClient for Slow {
        fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
            Box::pin(async move {
                tokio::task::yield_now().await;
                self.0.complete(request).await
            })
        }
    }

    let script = three_visits();
    let factory = ClientFactory::new().with_client(Arc::new(Slow(script.clone())));
    let mut run = FlowRuntime::new(Draft { n: 0 })
        .unwrap()
        .with_factory(factory);
    for _ in 0..3 {
        let step = run.next(Context::default());
        assert!(futures_util::FutureExt::now_or_never(step).is_none());
    }
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Good { n: 10 }));
    script.assert_used();
}

#[tokio::test]
async fn an_attempt_after_a_failure_takes_the_answer_after_those_that_failed() {
    let script = ScriptedModel::new()
        .text("Draft", "no JSON")
        .text("Draft", "no JSON again")
        .reply("Draft", written(11));
    let mut run = draft(&script);
    let error = run.run(Context::default()).await.unwrap_err();
    assert!(matches!(error, FlowError::AgentError(_)), "{error}");
    let mut run = restart(&run).with_factory(ClientFactory::new().with_scripted(script.clone()));
    let out = run.run(Context::default()).await;
    // The first answer is part of the visit; the second failed it, and was paid for.
    assert_eq!(out.unwrap(), RunOut::Done(Good { n: 11 }));
    script.assert_used();
}

#[tokio::test]
async fn an_error_takes_its_place_among_the_answers() {
    let script = ScriptedModel::new()
        .error("Draft", "no quota")
        .reply("Draft", written(1))
        .error("Draft", "no quota, again")
        .reply("Draft", written(11));
    let mut run = draft(&script);
    for _ in 0..2 {
        let error = run.run(Context::default()).await.unwrap_err();
        assert!(matches!(error, FlowError::Model { .. }), "{error}");
        run = restart(&run).with_factory(ClientFactory::new().with_scripted(script.clone()));
    }
    let out = run.run(Context::default()).await;
    assert_eq!(out.unwrap(), RunOut::Done(Good { n: 11 }));
    assert_eq!(run.model_calls(), 2);
    script.assert_used();
}

impl Agent for Again {
    type Output = Good;

    fn build() -> AgentConfig {
        writer().with_fallback("openai://other")
    }
}

impl Flow for Again {
    type Output = Good;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder().agent::<Again>().build()
    }
}

#[tokio::test(start_paused = true)]
async fn a_script_can_say_that_a_retry_or_a_fallback_answers() {
    let overloaded = || ScriptedTurn::error("overloaded").with_retry();
    let retry = ScriptedModel::new()
        .turn("Again", overloaded())
        .turn("Again", overloaded())
        .reply("Again", written(3));
    let fallback = ScriptedModel::new()
        .turn("Again", overloaded())
        .error("Again", "down")
        .reply("Again", written(3));
    for script in [retry, fallback] {
        let factory = ClientFactory::new().with_scripted(script.clone());
        let mut run = FlowRuntime::new(Again { n: 0 })
            .unwrap()
            .with_factory(factory);
        let out = run.run(Context::default()).await;
        assert_eq!(out.unwrap(), RunOut::Done(Good { n: 3 }));
        script.assert_used();
    }
}

impl Agent for Twice {
    type Output = Tried;

    fn build() -> AgentConfig {
        writer()
    }
}

/// Fails, and is tried again.
impl Flow for Twice {
    type Output = Tried;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .agent::<Twice>()
            .work::<Failure<Twice>, Twice, _, _>(|failure, _| async move { Ok(failure.input) })
            .build()
    }
}

#[tokio::test]
async fn a_visit_after_a_caught_failure_takes_the_next_answers() {
    let script = ScriptedModel::new()
        .text("Twice", "no JSON")
        .text("Twice", "no JSON again")
        .reply("Twice", written(3));
    let factory = ClientFactory::new().with_scripted(script.clone());
    let mut run = FlowRuntime::new(Twice { n: 0 })
        .unwrap()
        .with_factory(factory);
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Tried { n: 3 }));
    script.assert_used();
}

#[tokio::test]
async fn a_snapshot_counts_no_questions_of_an_agent_that_does_not_come_again() {
    let script = ScriptedModel::new().reply("Around", written(3));
    let factory = ClientFactory::new().with_scripted(script);
    let mut run = FlowRuntime::new(Around { n: 0 })
        .unwrap()
        .with_factory(factory);
    run.run(Context::default()).await.unwrap();
    assert!(json(&run).get("asked").is_none());

    let mut run = draft(&three_visits());
    run.next(Context::default()).await.unwrap();
    let expected = json!({ "Draft": { "node": "Draft", "visit": [1], "counts": [[1]] } });
    assert_eq!(json(&run)["asked"], expected);
}

impl Agent for Around {
    type Output = AroundEnd;

    fn build() -> AgentConfig {
        writer()
    }
}

impl Flow for Around {
    type Output = AroundEnd;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder().agent::<Around>().build()
    }
}

#[tokio::test]
async fn a_script_that_answers_for_nodes_that_there_are_not_stops_the_run_before_its_first_step() {
    let script = three_visits()
        .reply("draft", written(1))
        .text("Written[0]#2", "x");
    let mut run = draft(&script);
    for _ in 0..2 {
        let error = run.next(Context::default()).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the script answers for `Written[0]#2`, `draft`, and the flow's agents are `Draft`"
        );
    }
    assert_eq!(json(&run)["steps"], 0);
    // With another script the run goes on.
    let factory = ClientFactory::new().with_scripted(three_visits());
    let out = run.with_factory(factory).run(Context::default()).await;
    assert_eq!(out.unwrap(), RunOut::Done(Good { n: 10 }));
}

#[tokio::test]
async fn a_list_with_a_malformed_visit_or_item_is_refused() {
    for name in [
        "Draft#0",
        "Draft#02",
        "Draft#+2",
        "Draft#two",
        "Draft[+1]",
        "Draft[]",
        // It is in no list.
        "Draft[0]",
    ] {
        let mut run = draft(&three_visits().text(name, "x"));
        let error = run.next(Context::default()).await.unwrap_err();
        let says = format!("the script answers for `{name}`, and the flow's agents are `Draft`");
        assert_eq!(error.to_string(), says);
    }
}

#[tokio::test]
async fn a_script_for_several_flows_may_answer_for_others() {
    let script = three_visits()
        .reply("elsewhere", written(1))
        .for_several_flows();
    let out = draft(&script).run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Good { n: 10 }));
    assert_eq!(script.unused(), ["`elsewhere`: answer 1, a reply"]);
}

#[tokio::test]
async fn questions_that_are_counted_where_there_is_no_agent_are_refused() {
    let mut run = draft(&three_visits());
    run.next(Context::default()).await.unwrap();
    for (questions, why) in [
        (
            json!({ "x": { "node": "Written", "visit": [1], "counts": [[1]] } }),
            "`Written` is not an agent",
        ),
        (
            json!({ "x": { "node": "x", "visit": [1], "counts": [[1]] } }),
            "no node that takes `x` first",
        ),
        (
            json!({ "x": { "node": "Draft", "items": [["Written", 0]], "visit": [1], "counts": [[1]] } }),
            "`Written` is not a list",
        ),
        (
            json!({
                "Draft": { "node": "Draft", "visit": [1], "counts": [[1]] },
                "again": { "node": "Draft", "visit": [2], "counts": [[1]] },
            }),
            "the model requests of `Draft` are counted twice",
        ),
    ] {
        let mut json = json(&run);
        json["asked"] = questions;
        let snapshot = serde_json::from_value(json).unwrap();
        let error = FlowRuntime::<Draft>::from_snapshot(snapshot).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}
