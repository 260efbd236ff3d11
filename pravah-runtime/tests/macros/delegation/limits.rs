//! How far calls of agents go.

use pravah_runtime::prelude::*;
use serde_json::{Value, json};

use super::{Finding, Question, Report, ctx, of, question, text, told};
use crate::macros_support::{Recorder, output, report};

/// You look at sources.
#[agent(model = "openai://m", output = Finding)]
fn reader(question: &Question) -> String {
    question.text.clone()
}

/// You look things up.
#[agent(model = "openai://m", output = Finding, agents = [reader], delegation(max_children = 2))]
fn searcher(question: &Question) -> String {
    question.text.clone()
}

/// You write reports.
#[agent(
    model = "openai://m",
    output = Report,
    agents = [searcher, reader],
    delegation(max_depth = 2, max_children = 3),
)]
fn editor(question: &Question) -> String {
    question.text.clone()
}

/// You write reports.
#[agent(model = "openai://m", output = Report, agents = [searcher])]
fn intern(question: &Question) -> String {
    question.text.clone()
}

#[node]
fn excuse(failure: &Failure<Question>) -> Report {
    Report {
        text: report(failure).text,
    }
}

#[flow(named)]
fn editing(question: Question) -> Report {
    flow! { editor }
}

#[flow(named)]
fn learning(question: Question) -> Report {
    flow! { intern }
}

#[flow(named)]
fn excused(question: Question) -> Report {
    flow! { editor -> done; catch(editor) -> excuse -> done }
}

fn editing_by(script: ScriptedModel) -> (FlowRuntime<editing>, Recorder) {
    let model = Recorder::new(script);
    let run = editing::start(question()).unwrap();
    (run.with_factory(model.factory()), model)
}

fn read(prompt: &str) -> (&'static str, Value) {
    ("call_agent", told("reader", prompt))
}

#[tokio::test]
async fn an_agent_calls_others_below_it_if_there_is_depth_left_for_that() {
    let script = ScriptedModel::new()
        .call("editor", "call_agent", told("searcher", "Search."))
        .calls("searcher", [read("Read.")])
        .reply("reader", text("read"))
        .call("searcher", "submit", text("searched"))
        .call("editor", "submit", text("Done."));
    let (mut run, model) = editing_by(script);
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    let asked = model.asked();
    assert_eq!(of(&asked, "reader")[0].items, [0, 0]);
    assert_eq!(&*model.results()[0].text, r#"{"text":"searched"}"#);
}

#[tokio::test]
async fn unless_it_is_said_those_that_are_called_call_no_others() {
    let script = ScriptedModel::new()
        .call("intern", "call_agent", told("searcher", "Search."))
        .reply("searcher", text("searched"))
        .call("intern", "submit", text("Done."));
    let model = Recorder::new(script);
    let run = learning::start(question()).unwrap();
    let mut run = run.with_factory(model.factory());
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    assert!(of(&model.asked(), "searcher")[0].tools.is_empty());
}

#[tokio::test]
async fn the_most_agents_of_a_visit_count_those_below_too() {
    let script = ScriptedModel::new()
        .calls("editor", [("call_agent", told("searcher", "Search."))])
        .calls("searcher", [read("One."), read("Two."), read("Three.")])
        .reply("reader", text("read"))
        .reply("reader", text("read"))
        .call("searcher", "submit", text("searched"))
        .calls("editor", [read("Four.")])
        .call("editor", "submit", text("Done."));
    for bodies in [1, 8] {
        let (run, model) = editing_by(script.clone());
        let mut run = run.with_concurrency(bodies);
        assert_eq!(output(run.run(ctx()).await).text, "Done.");
        let asked = model.asked();
        assert_eq!(of(&asked, "reader").len(), 2);
        // The third of the searcher's own is beyond its limit, the editor's second beyond that of all.
        for node in ["searcher", "editor"] {
            let last = of(&asked, node)
                .pop()
                .unwrap()
                .messages
                .last()
                .unwrap()
                .clone();
            let pravah_runtime::Message::Tool { results, .. } = last else {
                panic!("no results");
            };
            let result = results.last().unwrap();
            assert_eq!(
                &*result.text, "not called: no more agents may be called in this visit",
                "{node}"
            );
            assert!(result.is_error);
        }
    }
}

#[tokio::test]
async fn the_budget_of_a_run_holds_for_the_agents_that_are_called() {
    let script = ScriptedModel::new()
        .calls("editor", [read("One.")])
        .reply("reader", text("read"))
        .call("editor", "submit", text("Done."));
    let (run, _) = editing_by(script);
    let mut run = run.with_budget(pravah_runtime::Budget::new().calls(2));
    let error = run.run(ctx()).await.unwrap_err().to_string();
    assert!(error.contains("editor"), "{error}");
    let mut run = run.with_budget(pravah_runtime::Budget::new().calls(3));
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
}

/// Fails for good.
#[tool]
async fn break_down() -> Result<String, ToolError> {
    Err(ToolError::fatal("broken"))
}

/// You write reports.
#[agent(
    model = "openai://m",
    output = Report,
    tools = [break_down],
    agents = [reader],
    retry(max_attempts = 2),
)]
fn clumsy(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn retried(question: Question) -> Report {
    flow! { clumsy }
}

#[tokio::test]
async fn the_calls_of_an_attempt_that_failed_are_over_with_it() {
    let script = ScriptedModel::new()
        .calls("clumsy", [read("One."), ("break_down", json!({}))])
        .calls("clumsy", [read("Two.")])
        .reply("reader", text("read"))
        .call("clumsy", "submit", text("Done."));
    for bodies in [1, 8] {
        let model = Recorder::new(script.clone());
        let run = retried::start(question()).unwrap().with_concurrency(bodies);
        let mut run = run.with_factory(model.factory());
        assert_eq!(output(run.run(ctx()).await).text, "Done.");
        let asked = model.asked();
        let prompts: Vec<String> = of(&asked, "reader")
            .iter()
            .map(|request| request.messages[0].user_text().unwrap())
            .collect();
        assert_eq!(prompts, ["Two."]);
    }
}

#[tokio::test]
async fn a_catch_around_the_agent_ends_the_agents_that_it_has_called() {
    let script = ScriptedModel::new()
        .calls("editor", [read("One."), read("Two.")])
        .reply("reader", text("read"))
        .reply("reader", text("read"))
        .error("editor", "no more");
    let model = Recorder::new(script);
    let run = excused::start(question()).unwrap();
    let mut run = run.with_factory(model.factory());
    let text = output(run.run(ctx()).await).text;
    assert!(text.contains("editor"), "{text}");
    assert_eq!(run.status(), pravah_runtime::RunStatus::Done);
}

/// Has somebody search.
#[flow(named)]
fn searching(question: Question) -> Finding {
    flow! { searcher }
}

/// You write reports.
#[agent(model = "openai://m", output = Report, agents = [searching])]
fn clerk(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn filing(question: Question) -> Report {
    flow! { clerk }
}

#[tokio::test]
async fn the_agents_in_a_flow_that_is_called_are_below_the_caller() {
    let input = json!({ "agent": "searching", "input": { "text": "Search." } });
    let script = ScriptedModel::new()
        .call("clerk", "call_agent", input)
        .reply("searching::searcher", text("searched"))
        .call("clerk", "submit", text("Done."));
    let model = Recorder::new(script);
    let run = filing::start(question()).unwrap();
    let mut run = run.with_factory(model.factory());
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    assert!(
        of(&model.asked(), "searching::searcher")[0]
            .tools
            .is_empty()
    );
}

#[test]
fn the_contract_of_an_agent_lists_what_it_may_call_as_deep_as_it_may() {
    let contracts = editing::graph().unwrap().node_contracts();
    let agents = |contract: &pravah_runtime::NodeContract| -> Vec<String> {
        let agents = contract.agents.iter();
        agents.map(|agent| agent.title.clone()).collect()
    };
    assert_eq!(agents(&contracts[0]), ["searcher", "reader"]);
    assert_eq!(agents(&contracts[0].agents[0]), ["reader"]);
    let contracts = learning::graph().unwrap().node_contracts();
    assert_eq!(agents(&contracts[0]), ["searcher"]);
    assert!(contracts[0].agents[0].agents.is_empty());
}

#[tokio::test]
async fn what_the_agents_that_may_be_called_ask_for_is_looked_at_before_the_run() {
    let run = editing::start(question()).unwrap();
    let run = run.with_model("reader", "nobody://m").unwrap();
    let unmet: Vec<String> = run
        .preflight(&ctx())
        .iter()
        .map(ToString::to_string)
        .collect();
    let of_reader = unmet.iter().filter(|unmet| unmet.contains("`reader`"));
    assert_eq!(of_reader.count(), 2, "{unmet:?}");
}

/// An agent written by hand, of whose calls the compiler knows nothing.
#[state]
struct Draft {
    text: String,
}

impl Agent for Draft {
    type Output = Finding;

    fn build() -> AgentConfig {
        let circle = Delegation::new().with_agent::<drafting>();
        AgentConfig::new("You draft.", "openai://m").with_delegation(circle)
    }
}

/// You edit drafts.
#[agent(model = "openai://m", output = Report, agents = [Draft], delegation(max_depth = 2))]
fn drafter(question: &Question) -> String {
    question.text.clone()
}

/// Has somebody draft.
#[flow(named)]
fn drafting(question: Question) -> Report {
    flow! { drafter }
}

#[test]
fn a_flow_that_calls_itself_through_an_agent_written_by_hand_is_not_made() {
    let error = drafting::graph().err().unwrap().to_string();
    assert!(error.contains("`drafting` contains itself"), "{error}");
}

/// A writer by hand, who refuses the network for himself and whom he calls.
#[state]
struct Topic {
    name: String,
}

impl Agent for Topic {
    type Output = Report;

    fn build() -> AgentConfig {
        let constraints = pravah_runtime::Constraints::new().no_network();
        let config = AgentConfig::new("You write.", "openai://m").with_constraints(constraints);
        config.with_delegation(Delegation::new().with_agent::<searching>())
    }
}

#[test]
fn what_an_agent_refuses_those_that_it_calls_are_refused_too() {
    let graph = FlowGraph::builder().agent::<Topic>().build().unwrap();
    let contract = &graph.node_contracts()[0];
    let searcher = &contract.agents[0].inside[0];
    for contract in [contract, searcher] {
        assert!(contract.constraints.no_network_access, "{}", contract.title);
        assert!(
            !contract.constraints.no_credential_access,
            "{}",
            contract.title
        );
    }
}

/// You choose tools.
#[agent(
    model = "openai://m",
    output = Finding,
    agents = [reader],
    tool_choice = required,
)]
fn chooser(question: &Question) -> String {
    question.text.clone()
}

/// You write reports.
#[agent(model = "openai://m", output = Report, agents = [chooser])]
fn chooser_of_choosers(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn choosing(question: Question) -> Report {
    flow! { chooser_of_choosers }
}

#[test]
fn what_an_agent_cannot_be_where_it_is_called_is_a_mistake_in_the_graph() {
    let error = choosing::graph().err().unwrap().to_string();
    assert!(
        error.contains("`tool_choice` is `required`, and the agent has no tools"),
        "{error}"
    );
}
