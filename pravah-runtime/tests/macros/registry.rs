//! Invocations from outside, by the names of a registry.

mod ad_hoc;
mod detached;
mod unfit;

use pravah_runtime::{
    Budget,
    invocation::{
        AgentRegistry, ContextScope, Executor, ExecutorHint, Invocation, InvocationError,
        InvocationResult, InvokeError, Message, RunnerConfig, Target, TaskStatus, ToolPolicy,
    },
    prelude::*,
};
use serde_json::{Value, from_value, json, to_value};

use crate::macros_support::{Recorder, output, suspended};

#[state]
struct Topic {
    name: String,
}
#[state]
struct Finding {
    text: String,
}

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(_: &Topic) -> String {
    panic!("its own prompt is not written where it is invoked")
}

#[gate(prompt = format!("What of {}?", topic.name))]
fn ask(topic: Topic, answer: String) -> Finding {
    Finding {
        text: format!("{}: {answer}", topic.name),
    }
}

/// Asks a person.
#[flow(named)]
fn survey(topic: Topic) -> Finding {
    flow! { ask }
}

fn registry() -> AgentRegistry {
    AgentRegistry::new()
        .with_agent::<researcher>()
        .with_agent::<survey>()
}

fn run_by(invocation: Invocation, model: &Recorder) -> FlowRuntime<AgentRegistry> {
    let run = registry().invoke(invocation).unwrap();
    run.with_factory(model.factory()).with_run_id("run")
}

fn look_up(topic: &str) -> Target {
    Target::named("researcher", topic)
}

fn text(text: &str) -> Value {
    json!({ "text": text })
}

fn ctx() -> Context {
    Context::default()
}

// A13, S2.5, S2.22
#[tokio::test]
async fn an_agent_knows_its_message_alone_and_what_it_returns_is_the_result() {
    let invocation: Invocation = from_value(json!({ "targets": [{
        "agent": { "type": "named", "agent_id": "researcher" },
        "message": { "role": "user", "parts": [{ "text": "Look up trains." }, { "data": { "to": "Benin" } }] },
    }] }))
    .unwrap();
    let model = Recorder::new(ScriptedModel::new().reply("researcher", text("None.")));
    let result = output(run_by(invocation, &model).run(ctx()).await);
    assert_eq!(
        to_value(result).unwrap(),
        json!({ "kind": "scalar", "result": {
            "content": { "text": "None." },
            "task_id": "run/invocation(Invocation)#1[0]",
            "status": "completed",
        } })
    );
    let asked = model.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].system, "You look things up.");
    let told = asked[0].messages[0].user_text().unwrap();
    assert_eq!(told.to_string(), "Look up trains.\n\n{\"to\":\"Benin\"}");
    assert_eq!(asked[0].messages.len(), 1);
}

// A10, S2.11, S2.28
#[tokio::test]
async fn results_come_in_the_order_of_the_targets_and_one_that_failed_says_so() {
    let script = ScriptedModel::new()
        .reply("researcher[0]", text("A."))
        .error("researcher[1]", "out of order")
        .reply("researcher[2]", text("C."));
    for bodies in [1, 8] {
        let model = Recorder::new(script.clone());
        let run = run_by(Invocation::all(["a", "b", "c"].map(look_up)), &model);
        let result = output(run.with_concurrency(bodies).run(ctx()).await);
        let InvocationResult::Vector { results, .. } = result else {
            panic!("{result:?}")
        };
        let statuses: Vec<TaskStatus> = results.iter().map(|result| result.status).collect();
        use TaskStatus::{Completed, Failed};
        assert_eq!(statuses, [Completed, Failed, Completed]);
        assert_eq!(results[0].content, text("A."));
        assert!(
            results[1]
                .content
                .as_str()
                .unwrap()
                .contains("upstream model error")
        );
        assert_eq!(results[2].content, text("C."));
        assert!(results[2].task_id.ends_with("[2]"));
    }
}

#[tokio::test]
async fn all_of_one_target_is_a_vector() {
    let model = Recorder::new(ScriptedModel::new().reply("researcher", text("A.")));
    let mut run = run_by(Invocation::all([look_up("a")]), &model);
    let result = output(run.run(ctx()).await);
    assert!(matches!(result, InvocationResult::Vector { results, .. } if results.len() == 1));
}

#[tokio::test]
async fn a_flow_starts_with_the_data_of_its_message_or_with_its_text_as_json() {
    let topic = json!({ "name": "trains" });
    for message in [
        Message::data(topic.clone()),
        Message::user(topic.to_string()),
    ] {
        let model = Recorder::new(ScriptedModel::new());
        let mut run = run_by(Invocation::single(Target::named("survey", message)), &model);
        let (id, question) = suspended(run.run(ctx()).await);
        assert_eq!(id, "survey::ask[0]");
        assert_eq!(question["prompt"], "What of trains?");
        let stored = serde_json::to_string(&run).unwrap();
        let snapshot = serde_json::from_str(&stored).unwrap();
        let mut run = registry().restore(snapshot).unwrap();
        run.answer(ctx(), &id, "none").await.unwrap();
        let InvocationResult::Scalar { result, .. } = output(run.run(ctx()).await) else {
            panic!("one result")
        };
        assert_eq!(result.content, text("trains: none"));
    }
}

#[tokio::test]
async fn a_message_that_does_not_fit_a_flow_fails_its_target_alone() {
    let model = Recorder::new(ScriptedModel::new().reply("researcher", text("A.")));
    let misfits = [
        (
            Message::user("trains"),
            "takes its input as data, or as text that is JSON",
        ),
        (Message::data(json!({ "topic": "trains" })), "`name`"),
        (Message::data(json!(7)), "object"),
    ];
    let targets = misfits
        .iter()
        .map(|(message, _)| Target::named("survey", message.clone()));
    let targets = targets.chain([look_up("a")]);
    let result = output(run_by(Invocation::all(targets), &model).run(ctx()).await);
    let InvocationResult::Vector { results, .. } = result else {
        panic!("{result:?}")
    };
    for (result, (_, why)) in results.iter().zip(&misfits) {
        assert_eq!(result.status, TaskStatus::Failed);
        let content = result.content.as_str().unwrap();
        assert!(
            content.contains("survey") && content.contains(why),
            "{content}"
        );
    }
    assert_eq!(results[3].content, text("A."));
}

#[tokio::test]
async fn a_single_target_that_fails_is_a_result_that_says_so() {
    let model = Recorder::new(ScriptedModel::new());
    let mut run = run_by(
        Invocation::single(Target::named("survey", "trains")),
        &model,
    );
    let InvocationResult::Scalar { result, .. } = output(run.run(ctx()).await) else {
        panic!("one result")
    };
    assert_eq!(result.status, TaskStatus::Failed);
}

#[tokio::test]
async fn no_model_call_is_repeated_whatever_step_the_run_stops_after() {
    let script = ScriptedModel::new()
        .reply("researcher[0]", text("A."))
        .reply("researcher[1]", text("B."));
    let model = Recorder::new(script);
    let mut run = run_by(Invocation::all(["a", "b"].map(look_up)), &model);
    let result = loop {
        match run.next(ctx()).await.unwrap() {
            RunOut::Done(result) => break to_value(result).unwrap(),
            _ => {
                let stored = serde_json::to_string(&run).unwrap();
                let snapshot = serde_json::from_str(&stored).unwrap();
                let restored = registry().restore(snapshot).unwrap();
                run = restored.with_factory(model.factory());
            }
        }
    };
    assert_eq!(result["results"][1]["content"], text("B."));
    assert_eq!(model.asked().len(), 2);
}

#[tokio::test]
async fn a_used_up_budget_stops_the_run_which_goes_on_with_a_larger_one() {
    let script = ScriptedModel::new()
        .reply("researcher[0]", text("A."))
        .reply("researcher[1]", text("B."));
    let model = Recorder::new(script);
    let run = run_by(Invocation::all(["a", "b"].map(look_up)), &model);
    let mut run = run.with_budget(Budget::new().calls(1));
    let error = run.run(ctx()).await.unwrap_err();
    assert!(error.to_string().contains("budget"), "{error}");
    assert_eq!(model.asked().len(), 1);
    let mut run = run.with_budget(Budget::new().calls(2));
    let InvocationResult::Vector { results, .. } = output(run.run(ctx()).await) else {
        panic!("two results")
    };
    assert_eq!(results[1].content, text("B."));
    assert_eq!(model.asked().len(), 2);
}

fn refused(invocation: Invocation) -> InvokeError {
    registry().invoke(invocation).unwrap_err()
}

#[test]
fn what_the_registry_does_not_have_is_refused_by_name() {
    let error = refused(Invocation::single(Target::named("writer", "Write.")));
    assert_eq!(
        error.to_string(),
        "there is no agent `writer`: the registry has `researcher`, `survey`"
    );
    let sandbox = Executor::remote(RunnerConfig::new("sandbox"));
    let remote =
        Invocation::single(look_up("a")).with_executor(ExecutorHint::Force(sandbox.clone()));
    assert_eq!(
        refused(remote.clone()).to_string(),
        "there is no runner `sandbox`: the registry has none"
    );
    let own = Invocation::single(look_up("a").with_executor(sandbox));
    assert_eq!(
        refused(own).to_string(),
        "there is no runner `sandbox`: the registry has none"
    );
    let tools = Invocation::single(look_up("a")).with_tools(ToolPolicy::exact(["search"]));
    assert!(
        refused(tools)
            .to_string()
            .contains("the tool `search` of its caller")
    );
    let shared = Invocation::single(look_up("a")).with_context(ContextScope::Shared);
    assert!(matches!(
        refused(shared),
        InvokeError::NoConversation { .. }
    ));
    let ad_hoc = Invocation::single(Target::ad_hoc("You check.", "Check."));
    assert!(matches!(refused(ad_hoc), InvokeError::AdHocNotAllowed));
    let none = refused(Invocation::all([]));
    assert!(matches!(
        none,
        InvokeError::Invalid(InvocationError::NoTargets)
    ));
}

// A18
#[test]
fn the_executor_of_a_target_goes_before_that_of_the_invocation() {
    let sandbox = ExecutorHint::Force(Executor::remote(RunnerConfig::new("sandbox")));
    let local = look_up("a").with_executor(Executor::Local);
    let invocation = Invocation::single(local).with_executor(sandbox);
    registry().invoke(invocation).unwrap();
}

#[test]
fn two_agents_of_one_name_are_an_error() {
    let registry = registry().with_agent_named::<survey>("researcher");
    let error = registry
        .invoke(Invocation::single(look_up("a")))
        .unwrap_err();
    assert!(matches!(error, InvokeError::Registry(_)));
    assert!(error.to_string().contains("`researcher`"), "{error}");
}

#[tokio::test]
async fn a_registry_that_has_grown_goes_on_with_earlier_runs_and_one_that_lost_an_agent_says_so() {
    let model = Recorder::new(ScriptedModel::new());
    let target = Target::named("survey", Message::data(json!({ "name": "trains" })));
    let mut run = run_by(Invocation::single(target), &model);
    suspended(run.run(ctx()).await);
    let stored = serde_json::to_string(&run).unwrap();
    let load = |registry: AgentRegistry| registry.restore(serde_json::from_str(&stored).unwrap());
    let grown = AgentRegistry::new()
        .with_agent_named::<researcher>("reader")
        .with_agent::<survey>();
    let mut run = load(grown).unwrap();
    run.answer(ctx(), "survey::ask[0]", "none").await.unwrap();
    output(run.run(ctx()).await);
    let error = load(AgentRegistry::new().with_agent::<researcher>()).unwrap_err();
    assert!(
        error.to_string().contains("item 0 of `Invocation`"),
        "{error}"
    );
}

/// Asks another person.
#[flow(named)]
fn poll(topic: Topic) -> Finding {
    flow! { ask }
}

#[tokio::test]
async fn flows_that_take_the_same_are_told_apart_also_where_one_is_added_later() {
    let model = Recorder::new(ScriptedModel::new());
    let topic = || Message::data(json!({ "name": "trains" }));
    let mut run = run_by(Invocation::single(Target::named("survey", topic())), &model);
    suspended(run.run(ctx()).await);
    let stored = serde_json::to_string(&run).unwrap();
    let both = || registry().with_agent::<poll>();
    let mut run = both()
        .restore(serde_json::from_str(&stored).unwrap())
        .unwrap();
    run.answer(ctx(), "survey::ask[0]", "none").await.unwrap();
    output(run.run(ctx()).await);

    let targets = ["poll", "survey"].map(|agent| Target::named(agent, topic()));
    let mut run = both().invoke(Invocation::all(targets)).unwrap();
    for (id, answer) in [("poll::ask[0]", "two"), ("survey::ask[1]", "one")] {
        assert_eq!(suspended(run.run(ctx()).await).0, id);
        let stored = serde_json::to_string(&run).unwrap();
        run = both()
            .restore(serde_json::from_str(&stored).unwrap())
            .unwrap();
        run.answer(ctx(), id, answer).await.unwrap();
    }
    let InvocationResult::Vector { results, .. } = output(run.run(ctx()).await) else {
        panic!("two results")
    };
    assert_eq!(results[0].content, text("trains: two"));
    assert_eq!(results[1].content, text("trains: one"));
}
