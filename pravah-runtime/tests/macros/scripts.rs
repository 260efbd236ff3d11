//! Scripts for agents that come again: in a list on a loop, and in a nested flow.

use pravah_runtime::prelude::*;
use serde_json::{Value, json};

use crate::macros_support::restart;

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Topic {
    rounds: u32,
}
#[state]
#[derive(Clone)]
struct Claim {
    number: u32,
}
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Score {
    points: u32,
}
#[state]
#[derive(Debug, PartialEq)]
struct Report {
    points: Vec<u32>,
}

#[node]
fn split(topic: Topic) -> Each<Claim> {
    let _ = topic;
    (0..3).map(|number| Claim { number }).collect()
}

#[agent(model = "openai://m", preamble = "Score the claim.", output = Score)]
fn score(claim: &Claim) -> String {
    claim.number.to_string()
}

#[node]
fn judge(scores: Each<Score>) -> Either<Report, Topic> {
    let points: Vec<u32> = scores.iter().map(|score| score.points).collect();
    match points.iter().sum::<u32>() {
        sum if sum > 20 => Either::Left(Report { points }),
        sum => Either::Right(Topic { rounds: sum }),
    }
}

#[flow]
fn review_round(topic: Topic) -> Report {
    flow! { split -> each(score) -> judge -> either(done, split) }
}

fn points(points: u32) -> Value {
    json!({ "points": points })
}

/// The second item has answers of its own; its second one repairs its first.
fn two_rounds(node: &str) -> ScriptedModel {
    let second = format!("{node}[1]");
    ScriptedModel::new()
        .reply(node, points(1))
        .reply(node, points(10))
        .text(&second, "no JSON")
        .reply(&second, points(2))
        .reply(&second, points(20))
}

fn start(script: &ScriptedModel) -> FlowRuntime<Topic> {
    FlowRuntime::new(Topic { rounds: 0 })
        .unwrap()
        .with_factory(ClientFactory::new().with_scripted(script.clone()))
}

#[tokio::test]
async fn the_items_of_a_list_on_a_loop_go_on_each_with_its_own_answers() {
    let script = two_rounds("score");
    let out = start(&script).run(Context::default()).await.unwrap();
    let points = vec![10, 20, 10];
    assert_eq!(out, RunOut::Done(Report { points }));
    script.assert_used();
}

#[tokio::test]
async fn items_on_a_loop_go_on_with_their_own_answers_across_processes() {
    let mut run = start(&two_rounds("score"));
    let out = loop {
        match run.next(Context::default()).await.unwrap() {
            RunOut::Continue => {}
            out => break out,
        }
        let factory = ClientFactory::new().with_scripted(two_rounds("score"));
        run = restart(&run).with_factory(factory);
    };
    let points = vec![10, 20, 10];
    assert_eq!(out, RunOut::Done(Report { points }));
}

/// The second item's second round has a list of its own, and so has the second round of the others.
fn rounds_apart() -> ScriptedModel {
    ScriptedModel::new()
        .reply("score", points(1))
        .text("score#2", "no JSON")
        .reply("score#2", points(10))
        .reply("score[1]#2", points(20))
}

#[tokio::test]
async fn a_list_that_runs_again_visits_the_agents_of_its_items_again() {
    let script = rounds_apart();
    let out = start(&script).run(Context::default()).await.unwrap();
    let points = vec![10, 20, 10];
    assert_eq!(out, RunOut::Done(Report { points }));
    script.assert_used();
}

#[tokio::test]
async fn visits_in_lists_are_counted_alike_across_processes() {
    let mut run = start(&rounds_apart());
    let out = loop {
        match run.next(Context::default()).await.unwrap() {
            RunOut::Continue => {}
            out => break out,
        }
        let factory = ClientFactory::new().with_scripted(rounds_apart());
        run = restart(&run).with_factory(factory);
    };
    let points = vec![10, 20, 10];
    assert_eq!(out, RunOut::Done(Report { points }));
}

#[state]
struct Case {}
#[state]
struct Closed {}

#[node]
fn open(_: &Case) -> Topic {
    Topic { rounds: 0 }
}

#[node]
fn close(_: &Report) -> Closed {
    Closed {}
}

#[flow]
fn case(case: Case) -> Closed {
    flow! { open -> review_round -> close }
}

// S1.22
#[tokio::test]
async fn an_agent_in_a_nested_flow_is_called_by_the_flows_function() {
    let script = two_rounds("review_round::score");
    let factory = ClientFactory::new().with_scripted(script.clone());
    let mut run = FlowRuntime::new(Case {}).unwrap().with_factory(factory);
    let mut keys = std::collections::BTreeSet::new();
    while let RunOut::Continue = run.next(Context::default()).await.unwrap() {
        let step = run.last_step().unwrap();
        assert!(
            step.node != "score" && !step.node.starts_with("Topic"),
            "{step}"
        );
        let snapshot = serde_json::to_value(run.snapshot()).unwrap();
        keys.extend(snapshot["states"].as_object().unwrap().keys().cloned());
    }
    script.assert_used();
    let keys: Vec<_> = keys.iter().map(String::as_str).collect();
    let inside = ["review_round::Each_of_Claim", "review_round::Each_of_Score"];
    assert_eq!(keys, ["Report", "Topic", inside[0], inside[1]]);
    assert!(
        run.usage_by_node()
            .all(|(node, _)| node == "review_round::score")
    );
    let said: Vec<_> = run
        .history()
        .iter()
        .map(|(node, _)| node.to_owned())
        .collect();
    assert_eq!(said[0], "review_round::score[0]");

    let wrong = ScriptedModel::new().reply("score", points(1));
    let factory = ClientFactory::new().with_scripted(wrong);
    let mut run = FlowRuntime::new(Case {}).unwrap().with_factory(factory);
    let error = run.next(Context::default()).await.err().unwrap();
    let text = "the script answers for `score`, and the flow's agents are `review_round::score`";
    assert_eq!(error.to_string(), text);
}

fn factory(points: u32) -> ClientFactory {
    let mut script = ScriptedModel::new();
    for _ in 0..3 {
        script = script.reply("score", self::points(points));
    }
    ClientFactory::new().with_scripted(script)
}

fn report(points: u32) -> Report {
    let points = vec![points; 3];
    Report { points }
}

#[tokio::test]
async fn a_flow_takes_the_models_that_the_context_brings_however_it_is_run() {
    let topic = || Topic { rounds: 0 };
    let ctx = Context::default().with_dep(factory(7));
    assert_eq!(review_round(topic(), ctx.clone()).await.unwrap(), report(7));

    let ctx = Context::default().with_dep(factory(8));
    let out = FlowRuntime::new(topic()).unwrap().run(ctx).await.unwrap();
    assert_eq!(out, RunOut::Done(report(8)));

    let ctx = Context::default().with_dep(factory(9));
    let mut run = FlowRuntime::new(topic()).unwrap();
    let out = loop {
        match run.next(ctx.clone()).await.unwrap() {
            RunOut::Continue => run = restart(&run),
            out => break out,
        }
    };
    assert_eq!(out, RunOut::Done(report(9)));
}

#[tokio::test]
async fn a_context_may_share_its_factory_or_bring_a_script_alone() {
    let script = || {
        let each = |script: ScriptedModel, _| script.reply("score", points(7));
        (0..3).fold(ScriptedModel::new(), each)
    };
    let bring = Context::default();
    for ctx in [
        bring.clone().with_dep(std::sync::Arc::new(factory(7))),
        bring.clone().with_dep(script()),
        bring.with_dep(std::sync::Arc::new(script())),
    ] {
        let out = review_round(Topic { rounds: 0 }, ctx).await;
        assert_eq!(out.unwrap(), report(7));
    }
}

#[tokio::test]
async fn a_script_that_a_context_brings_notes_what_was_taken() {
    let script = two_rounds("score");
    let ctx = Context::default().with_dep(script.clone());
    review_round(Topic { rounds: 0 }, ctx).await.unwrap();
    script.assert_used();
}

#[tokio::test]
async fn the_factory_of_a_run_comes_before_that_of_its_context() {
    let ctx = Context::default().with_dep(factory(8));
    let run = FlowRuntime::new(Topic { rounds: 0 }).unwrap();
    let out = run.with_factory(factory(7)).run(ctx).await.unwrap();
    assert_eq!(out, RunOut::Done(report(7)));
}

#[tokio::test]
async fn a_script_in_the_context_that_names_no_agent_of_the_flow_is_refused() {
    let script = ScriptedModel::new().reply("scores", points(1));
    let wrong = ClientFactory::new().with_scripted(script);
    let wrong = Context::default().with_dep(wrong);
    let mut run = FlowRuntime::new(Topic { rounds: 0 }).unwrap();
    for _ in 0..2 {
        let error = run.next(wrong.clone()).await.unwrap_err();
        assert!(matches!(error, FlowError::UnknownAgents { .. }), "{error}");
    }
    let right = Context::default().with_dep(factory(7));
    let out = run.run(right).await.unwrap();
    assert_eq!(out, RunOut::Done(report(7)));
}
