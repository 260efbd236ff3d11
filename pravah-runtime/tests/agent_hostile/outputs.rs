//! Outputs that do not fit, and what they cost.

use pravah_runtime::{Budget, ScriptedTurn, Usage, prelude::*};
use serde_json::json;

use crate::{
    Rating, Ticket, good,
    macros_support::{Recorder, output, restart},
    nested,
};

#[agent(model = "openai://m", preamble = "", output = Rating)]
fn rate(_: &Ticket) -> String {
    String::new()
}

#[flow(named)]
fn rating(ticket: Ticket) -> Rating {
    flow! { rate }
}

#[tokio::test]
async fn what_the_type_takes_and_its_schema_does_not_goes_back_to_the_model() {
    for (bad, reason) in [
        (
            json!({ "stars": 99, "code": "OK" }),
            "`stars` is more than 5",
        ),
        (
            json!({ "stars": 0, "code": "OK" }),
            "`stars` is less than 1",
        ),
        (
            json!({ "stars": 5, "code": "LONG" }),
            "`code` has more than 3 characters",
        ),
        (
            json!({ "stars": 5, "code": "no" }),
            "`code` does not match ^[A-Z]*$",
        ),
    ] {
        let script = ScriptedModel::new()
            .reply("rate", bad)
            .reply("rate", good());
        let model = Recorder::new(script);
        let mut run = rating::start(Ticket {})
            .unwrap()
            .with_factory(model.factory());
        assert_eq!(output(run.run(Context::default()).await).stars, 5);
        let text = model.asked()[1].messages[2].user_text().unwrap();
        assert!(text.contains(reason), "{text}");
    }
}

#[tokio::test]
async fn an_output_that_is_nested_deeply_goes_back() {
    let deep = ScriptedTurn::text(nested(100).to_string());
    let script = ScriptedModel::new()
        .turn("rate", deep)
        .reply("rate", good());
    let model = Recorder::new(script);
    let mut run = rating::start(Ticket {})
        .unwrap()
        .with_factory(model.factory());
    output(run.run(Context::default()).await);
    let text = model.asked()[1].messages[2].user_text().unwrap();
    assert!(
        text.starts_with("the result is nested too deeply"),
        "{text}"
    );
}

#[state]
struct Tried {}

#[node]
fn try_it(_: Ticket) -> Tried {
    Tried {}
}

#[agent(model = "openai://m", preamble = "", output = Rating, max_repairs = 0)]
fn rate_once(_: &Tried) -> String {
    String::new()
}

#[node]
fn again(_: Failure<Tried>) -> Ticket {
    Ticket {}
}

#[flow(named)]
fn endless(ticket: Ticket) -> Rating {
    flow! { try_it -> rate_once -> done; catch(rate_once) -> again -> try_it }
}

/// Answers that are of no use are paid for all the same.
#[tokio::test]
async fn what_a_caught_failure_cost_counts_against_the_budget() {
    let useless = ScriptedTurn::text("well").with_usage(Usage::new(10, 0));
    let script = (0..4).fold(ScriptedModel::new(), |script, _| {
        script.turn("rate_once", useless.clone())
    });
    let model = Recorder::new(script);
    let run = endless::start(Ticket {}).unwrap();
    let run = run.with_budget(Budget::new().calls(3));
    let mut run = run.with_factory(model.factory());
    for _ in 0..40 {
        // The limit itself is a failure too, and caught.
        assert!(matches!(
            run.next(Context::default()).await,
            Ok(RunOut::Continue)
        ));
        run = restart(&run).with_factory(model.factory());
    }
    assert_eq!(model.asked().len(), 3);
    assert_eq!((run.model_calls(), run.usage().total()), (3, 30));
    let nodes: Vec<_> = run
        .usage_by_node()
        .map(|(node, usage)| (node, usage.total()))
        .collect();
    assert_eq!(nodes, [("rate_once", 30)]);
}

#[state]
#[derive(Debug, PartialEq)]
struct Share {
    of: f32,
}

#[agent(model = "openai://m", preamble = "", output = Share)]
fn divide(_: &Ticket) -> String {
    String::new()
}

#[flow(named)]
fn dividing(ticket: Ticket) -> Share {
    flow! { divide }
}

#[tokio::test]
async fn what_could_not_be_read_again_is_no_output() {
    let script = ScriptedModel::new()
        .reply("divide", json!({ "of": 1e39 }))
        .reply("divide", json!({ "of": 0.5 }));
    let model = Recorder::new(script);
    let run = dividing::start(Ticket {}).unwrap();
    let mut run = run.with_factory(model.factory());
    assert_eq!(output(run.run(Context::default()).await), Share { of: 0.5 });
}
