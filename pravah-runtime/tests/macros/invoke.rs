//! Nodes that let agents and flows do their work.

mod crashes;
mod detached;
mod failures;
mod limits;
mod places;
mod results;
mod upgrades;

use pravah_runtime::{StepKind, prelude::*};
use serde_json::{Value, json};

use crate::macros_support::{Recorder, output, restart, suspended};

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Plan {
    topics: Vec<String>,
}
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Topic {
    name: String,
}
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Finding {
    text: String,
}
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Report {
    text: String,
}

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(topic: &Topic) -> String {
    format!("Look up {}.", topic.name)
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

fn topics(plan: &Plan) -> impl Iterator<Item = Topic> {
    plan.topics.iter().map(|name| Topic { name: name.clone() })
}

/// Has topics of one letter looked up, and asks a person about all others.
#[node(agents = [researcher, survey])]
fn look_up(plan: &Plan) -> Invoke<Each<Finding>> {
    Invoke::all(topics(plan).map(|topic| match topic.name.len() {
        1 => researcher::invoke(topic),
        _ => survey::invoke(topic),
    }))
}

#[node]
fn write(findings: Each<Finding>) -> Report {
    let texts: Vec<String> = findings.into_iter().map(|finding| finding.text).collect();
    Report {
        text: texts.join(" "),
    }
}

/// Looks topics up.
#[flow]
fn reporting(plan: Plan) -> Report {
    flow! { look_up -> write }
}

fn plan<const N: usize>(topics: [&str; N]) -> Plan {
    Plan {
        topics: topics.map(str::to_owned).to_vec(),
    }
}

fn ctx() -> Context {
    Context::default()
}

fn text(text: &str) -> Value {
    json!({ "text": text })
}

#[tokio::test]
async fn each_agent_gets_its_input_and_results_go_on_in_the_order_of_the_calls() {
    let script = ScriptedModel::new()
        .reply("researcher[0]", text("A."))
        .reply("researcher[1]", text("B."))
        .reply("researcher[2]", text("C."));
    let model = Recorder::new(script);
    let run = FlowRuntime::new(plan(["a", "b", "c"])).unwrap();
    let mut run = run.with_factory(model.factory()).with_concurrency(8);
    assert_eq!(output(run.run(ctx()).await).text, "A. B. C.");

    let asked = model.asked();
    let prompts = asked
        .iter()
        .map(|it| it.messages[0].user_text().unwrap().to_string());
    let prompts: Vec<String> = prompts.collect();
    assert_eq!(prompts, ["Look up a.", "Look up b.", "Look up c."]);
    assert_eq!(asked[1].items, [1]);
    assert_eq!(asked[1].system, "You look things up.");
}

#[tokio::test]
async fn the_steps_of_the_calls_are_steps_of_the_run() {
    let script = ScriptedModel::new().reply("researcher", text("A."));
    let run = FlowRuntime::new(plan(["a"])).unwrap();
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    let mut steps = Vec::new();
    while let RunOut::Continue = run.next(ctx()).await.unwrap() {
        steps.push(run.last_step().unwrap());
    }
    steps.push(run.last_step().unwrap());
    let shown: Vec<String> = steps.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "1. look_up (calls)",
            "2. researcher[0] (model) -> Finding",
            "3. look_up -> Each_of_Finding",
            "4. write -> Report",
        ]
    );
    assert_eq!(steps[0].kind, StepKind::Calls);
}

#[tokio::test]
async fn of_no_calls_an_empty_list_goes_on() {
    let mut run = FlowRuntime::new(plan([])).unwrap();
    assert_eq!(output(run.run(ctx()).await).text, "");
}

#[tokio::test]
async fn a_flow_that_is_called_asks_through_the_run_and_the_others_go_on() {
    let script = ScriptedModel::new().reply("researcher[1]", text("B."));
    let model = Recorder::new(script);
    let run = FlowRuntime::new(plan(["trains", "b", "ferries"])).unwrap();
    let mut run = run.with_factory(model.factory());
    let (id, question) = suspended(run.run(ctx()).await);
    assert_eq!(question["prompt"], "What of trains?");
    let mut run = restart(&run).with_factory(model.factory());
    assert_eq!(model.asked().len(), 1, "the researcher went on beside");
    run.answer(ctx(), &id, "none").await.unwrap();
    let (id, question) = suspended(run.run(ctx()).await);
    assert_eq!(question["prompt"], "What of ferries?");
    let mut run = restart(&run).with_factory(model.factory());
    run.answer(ctx(), &id, "one").await.unwrap();
    let report = output(run.run(ctx()).await);
    assert_eq!(report.text, "trains: none B. ferries: one");
}

mod one {
    use pravah_runtime::prelude::*;

    use super::{Finding, Plan, Report, Topic, researcher};

    #[node(agents = [researcher])]
    async fn look_up_first(plan: Plan) -> Result<Invoke<Finding>, FlowError> {
        let topic = plan.topics.into_iter().next();
        let name = topic.ok_or("there is no topic")?;
        Ok(researcher::invoke(Topic { name }))
    }

    #[node]
    fn write(finding: Finding) -> Report {
        Report { text: finding.text }
    }

    #[flow(named)]
    pub(super) fn brief(plan: Plan) -> Report {
        flow! { look_up_first -> write }
    }
}

#[tokio::test]
async fn an_async_node_that_may_fail_can_call_one_agent_whose_result_goes_on() {
    let script = ScriptedModel::new().reply("researcher", text("A."));
    let run = one::brief::start(plan(["a"])).unwrap();
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    assert_eq!(output(run.run(ctx()).await).text, "A.");

    let mut run = one::brief::start(plan([])).unwrap();
    let error = run.run(ctx()).await.unwrap_err();
    assert!(error.to_string().contains("there is no topic"), "{error}");
}
