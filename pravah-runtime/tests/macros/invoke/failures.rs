//! Calls that fail.

use pravah_runtime::prelude::*;
use serde_json::json;

use super::{Finding, Plan, Report, Topic, ctx, plan, researcher, text, topics};
use crate::macros_support::{Recorder, output, restart};

/// Breaks down.
#[tool]
async fn break_down() -> Result<String, ToolError> {
    Err(ToolError::fatal("broken"))
}

/// You try.
#[agent(model = "openai://m", output = Finding, tools = [break_down])]
fn trier(topic: &Topic) -> String {
    topic.name.clone()
}

#[node(agents = [trier])]
fn try_all(plan: &Plan) -> Invoke<Each<Finding>> {
    Invoke::all(topics(plan).map(trier::invoke))
}

#[node(agents = [trier])]
fn try_and_see(plan: &Plan) -> Invoke<Each<TaskResult<Finding>>> {
    Invoke::settled(topics(plan).map(trier::invoke))
}

#[node]
fn tell(results: Each<TaskResult<Finding>>) -> Report {
    let told = results.into_iter().map(|result| match result {
        TaskResult::Completed { output } => output.text,
        TaskResult::Failed { message, .. } => format!("({message})"),
    });
    Report {
        text: told.collect::<Vec<_>>().join(" "),
    }
}

#[node]
fn write(findings: Each<Finding>) -> Report {
    Report {
        text: format!("{} findings", findings.len()),
    }
}

#[node]
fn give_up(failure: Failure<Plan>) -> Report {
    Report {
        text: failure.message,
    }
}

#[flow(named)]
fn trying(plan: Plan) -> Report {
    flow! { try_all -> write }
}

#[flow(named)]
fn rescued(plan: Plan) -> Report {
    flow! {
        try_all -> write -> done;
        catch(try_all) -> give_up -> done
    }
}

#[flow(named)]
fn seeing(plan: Plan) -> Report {
    flow! { try_and_see -> tell }
}

fn script() -> ScriptedModel {
    let breaks = |model: ScriptedModel, agent| model.call(agent, "break_down", json!({}));
    let model = breaks(ScriptedModel::new(), "trier[0]");
    breaks(model.call("trier[1]", "submit", text("B.")), "trier[2]")
}

const BROKEN: &str = "tool `break_down` of agent `trier` failed: broken";

#[tokio::test]
async fn the_node_fails_once_all_calls_have_ended_and_says_which_failed() {
    let model = Recorder::new(script());
    let run = trying::start(plan(["a", "b", "c"])).unwrap();
    let mut run = run.with_factory(model.factory());
    let error = run.run(ctx()).await.unwrap_err().to_string();
    assert_eq!(
        error,
        format!("node `try_all` failed: 2 of its 3 calls failed: [0] {BROKEN}; [2] {BROKEN}")
    );
    assert_eq!(model.asked().len(), 3, "all were made");
    restart(&run);
}

#[tokio::test]
async fn a_catch_takes_the_failure_with_the_input_of_the_node() {
    let run = rescued::start(plan(["a", "b", "c"])).unwrap();
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script()));
    let text = output(run.run(ctx()).await).text;
    assert!(text.contains("2 of its 3 calls failed: [0]"), "{text}");
}

#[tokio::test]
async fn settled_calls_say_how_each_ended() {
    let run = seeing::start(plan(["a", "b", "c"])).unwrap();
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script()));
    let text = output(run.run(ctx()).await).text;
    assert_eq!(text, format!("({BROKEN}) B. ({BROKEN})"));
}

mod again {
    use pravah_runtime::prelude::*;

    use super::{Finding, Plan, Report, Topic, break_down, topics, write};

    /// You try.
    #[agent(model = "openai://m", output = Finding, tools = [break_down])]
    fn trier(topic: &Topic) -> String {
        topic.name.clone()
    }

    #[node(agents = [trier], retry(max_attempts = 2))]
    fn try_twice(plan: &Plan) -> Invoke<Each<Finding>> {
        Invoke::all(topics(plan).map(trier::invoke))
    }

    #[flow(named)]
    pub(super) fn trying_twice(plan: Plan) -> Report {
        flow! { try_twice -> write }
    }
}

#[tokio::test]
async fn another_attempt_makes_all_calls_again() {
    let script = ScriptedModel::new()
        .call("trier[0]", "break_down", json!({}))
        .call("trier[1]", "submit", text("B."))
        .call("trier[0]", "submit", text("A."))
        .call("trier[1]", "submit", text("B."));
    let model = Recorder::new(script);
    let run = again::trying_twice::start(plan(["a", "b"])).unwrap();
    let mut run = run.with_factory(model.factory());
    assert_eq!(output(run.run(ctx()).await).text, "2 findings");
    assert_eq!(model.asked().len(), 4);
}

mod undeclared {
    use pravah_runtime::prelude::*;

    use super::{Finding, Plan, Report, Topic, researcher, trier, write};

    #[node(agents = [trier])]
    fn ask_another(plan: &Plan) -> Invoke<Each<Finding>> {
        let topic = Topic {
            name: plan.topics.concat(),
        };
        Invoke::all([researcher::invoke(topic)])
    }

    #[flow(named)]
    pub(super) fn asking(plan: Plan) -> Report {
        flow! { ask_another -> write }
    }
}

#[tokio::test]
async fn a_call_of_what_the_node_does_not_name_fails_it_before_any_starts() {
    let mut run = undeclared::asking::start(plan(["a"])).unwrap();
    let error = run.run(ctx()).await.unwrap_err().to_string();
    assert!(
        error.contains("it calls `researcher`, which it does not declare: it declares `trier`"),
        "{error}"
    );
}
