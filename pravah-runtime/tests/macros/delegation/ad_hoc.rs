//! Agents that a model describes.

mod skills;

use pravah_runtime::{AgentConfig, Message, ModelRequest, prelude::*};
use serde_json::{Value, json};

use super::{Finding, Question, Report, ctx, of, question, text, told};
use crate::macros_support::{Recorder, output, restart};

/// Searches.
#[tool]
async fn search(text: String) -> Result<String, ToolError> {
    Ok(format!("found {text}"))
}

/// Notes something.
#[tool]
async fn note(text: String) -> Result<String, ToolError> {
    Ok(text)
}

/// Be brief.
#[agent(model = "openai://m", output = Finding, tools = [search, note])]
fn assistant(_: &Question) -> String {
    panic!("its own prompt is not written")
}

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(question: &Question) -> String {
    question.text.clone()
}

/// You sum up.
#[agent(model = "openai://m", output = Finding)]
fn summary(question: &Question) -> String {
    question.text.clone()
}

/// You write reports.
#[agent(
    model = "openai://m",
    output = Report,
    agents = [researcher],
    skills = [summary],
    delegation(ad_hoc = assistant, join = [single, all, detached], on_done = wait),
)]
fn lead(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn writing(question: Question) -> Report {
    flow! { lead }
}

/// You write reports.
#[agent(model = "openai://m", output = Report, delegation(ad_hoc = assistant))]
fn loner(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn alone(question: Question) -> Report {
    flow! { loner }
}

fn described(prompt: &str) -> Value {
    json!({ "system_prompt": "You check facts.", "prompt": prompt })
}

fn run_by(script: ScriptedModel) -> (FlowRuntime<writing>, Recorder) {
    let model = Recorder::new(script);
    let run = writing::start(question()).unwrap();
    (run.with_factory(model.factory()), model)
}

async fn finish(mut run: FlowRuntime<writing>) {
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
}

fn tools(request: &ModelRequest) -> Vec<&str> {
    request.tools.iter().map(|tool| &*tool.name).collect()
}

// S2.4, S2.30
#[tokio::test]
async fn an_agent_that_the_model_describes_has_its_prompt_behind_the_preamble_of_the_base() {
    let script = ScriptedModel::new()
        .call("lead", "call_agent", described("Is it so?"))
        .call("ad_hoc", "submit", text("It is."))
        .call("lead", "submit", text("Done."));
    let (run, model) = run_by(script);
    finish(run).await;
    let asked = model.asked();
    let child = of(&asked, "ad_hoc").remove(0);
    assert_eq!(child.system, "Be brief.\n\nYou check facts.");
    assert_eq!(child.messages.len(), 1);
    assert_eq!(child.messages[0].user_text().unwrap(), "Is it so?");
    assert_eq!(tools(child), ["search", "note", "submit"]);
    assert_eq!(&*model.results()[0].text, r#"{"text":"It is."}"#);
}

// S2.4
#[tokio::test]
async fn it_has_the_tools_that_the_model_names_of_those_of_the_base() {
    let mut call = described("Is it so?");
    call["tools"] = json!(["note"]);
    let mut none = described("And so?");
    none["tools"] = json!([]);
    let script = ScriptedModel::new()
        .calls("lead", [("call_agent", call), ("call_agent", none)])
        .call("ad_hoc[0]", "note", text("hm"))
        .call("ad_hoc[0]", "submit", text("It is."))
        .reply("ad_hoc[1]", text("It is not."))
        .call("lead", "submit", text("Done."));
    let (run, model) = run_by(script);
    finish(run).await;
    let asked = model.asked();
    let children = of(&asked, "ad_hoc");
    assert_eq!(tools(children[0]), ["note", "submit"]);
    let without = children.iter().find(|child| child.items == [1]).unwrap();
    assert!(without.tools.is_empty());
}

#[tokio::test]
async fn the_model_reads_that_it_may_describe_agents_and_which_tools_they_may_have() {
    let script = ScriptedModel::new().call("lead", "submit", text("Done."));
    let (run, model) = run_by(script);
    finish(run).await;
    let asked = model.asked();
    let tool = &asked[0].tools[0];
    let properties = &tool.parameters["properties"];
    assert_eq!(properties["agent"]["enum"], json!(["researcher"]));
    assert_eq!(
        properties["tools"]["items"]["enum"],
        json!(["search", "note"])
    );
    assert!(properties["system_prompt"].is_object());
    assert_eq!(tool.parameters["required"], json!([]));
    assert!(
        tool.description.contains("`system_prompt` makes one"),
        "{}",
        tool.description
    );

    let script = ScriptedModel::new().call("loner", "submit", text("Done."));
    let model = Recorder::new(script);
    let run = alone::start(question()).unwrap();
    let mut run = run.with_factory(model.factory());
    output(run.run(ctx()).await);
    let parameters = &model.asked()[0].tools[0].parameters;
    assert_eq!(parameters["required"], json!(["system_prompt", "prompt"]));
    assert!(parameters["properties"].get("agent").is_none());
}

#[tokio::test]
async fn descriptions_that_fit_no_agent_are_explained_to_the_model() {
    let with = |change: Value| {
        let mut call = described("Is it so?");
        for (key, value) in change.as_object().unwrap() {
            call[key] = value.clone();
        }
        call
    };
    for (arguments, expected) in [
        (
            with(json!({ "agent": "researcher" })),
            "either `agent` or `system_prompt`",
        ),
        (
            with(json!({ "tools": ["pay"] })),
            "it cannot have the tool `pay`: its tools are `search`, `note`",
        ),
        (
            with(json!({ "system_prompt": " " })),
            "the system prompt is empty",
        ),
        (with(json!({ "prompt": " " })), "the prompt is empty"),
        (
            json!({ "system_prompt": "You check facts." }),
            "`prompt` is missing",
        ),
        (
            with(json!({ "input": { "text": "x" } })),
            "takes a `prompt`, and no `input`",
        ),
        (
            json!({ "agent": "researcher", "prompt": "x", "tools": [] }),
            "`tools` goes with `system_prompt`",
        ),
        (told("ad_hoc", "Hello"), "there is no agent `ad_hoc`"),
        (told("summary", "Hello"), "`summary` is a skill"),
    ] {
        let script = ScriptedModel::new()
            .call("lead", "call_agent", arguments.clone())
            .call("lead", "submit", text("Done."));
        let (run, model) = run_by(script);
        finish(run).await;
        let result = &model.results()[0];
        assert!(result.is_error, "{arguments}");
        assert!(
            result.text.contains(expected),
            "{arguments}: {}",
            result.text
        );
    }
}

#[tokio::test]
async fn a_model_that_may_not_describe_agents_is_told_so() {
    let script = ScriptedModel::new()
        .call("lead", "call_agent", described("Is it so?"))
        .call("lead", "submit", text("No trains."));
    let (mut run, model) = super::run_by(script);
    output(run.run(ctx()).await);
    let result = &model.results()[0];
    assert!(result.is_error);
    assert!(
        result
            .text
            .contains("you cannot describe an agent with `system_prompt`"),
        "{}",
        result.text
    );
}

// S2.11, S2.12
#[tokio::test]
async fn described_agents_are_targets_among_others_and_background_tasks() {
    let targets = json!([described("Ferries"), told("researcher", "Trains")]);
    let script = ScriptedModel::new()
        .call(
            "lead",
            "call_agent",
            json!({ "join": "all", "targets": targets }),
        )
        .call("ad_hoc[0]", "submit", text("One."))
        .reply("researcher[1]", text("None."))
        .call("lead", "call_agent", {
            let mut call = described("Is it so?");
            call["join"] = json!("detached");
            call
        })
        .call("lead", "submit", text("Done."))
        .call("ad_hoc[1]", "submit", text("It is."));
    let (mut run, model) = run_by(script);
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    let asked = model.asked();
    let Some(Message::Tool { results, .. }) = of(&asked, "lead")[1].messages.last() else {
        panic!("the lead has its results")
    };
    let all: Value = serde_json::from_str(&results[0].text).unwrap();
    assert_eq!(all["results"][0]["content"], text("One."));
    assert_eq!(all["results"][1]["content"], text("None."));
    let tasks = run.tasks();
    assert_eq!(
        (&*tasks[0].task_id, &*tasks[0].agent_id),
        ("task_1", "ad_hoc")
    );
    assert_eq!(tasks[0].preview.as_deref(), Some(r#"{"text":"It is."}"#));
}

#[tokio::test]
async fn a_run_that_is_restored_after_every_step_asks_no_model_twice() {
    let script = || {
        ScriptedModel::new()
            .calls(
                "lead",
                [
                    ("call_agent", described("Is it so?")),
                    (
                        "run_skill",
                        json!({ "skill": "summary", "prompt": "Sum up." }),
                    ),
                    ("call_agent", told("researcher", "Trains")),
                ],
            )
            .call("ad_hoc", "search", text("facts"))
            .call("ad_hoc", "submit", text("It is."))
            .reply("summary", text("Short."))
            .reply("researcher", text("None."))
            .call("lead", "submit", text("Done."))
    };
    for bodies in [1, 8] {
        let model = Recorder::new(script());
        let prepared =
            |run: FlowRuntime<writing>| run.with_factory(model.factory()).with_concurrency(bodies);
        let mut run = prepared(writing::start(question()).unwrap());
        loop {
            match run.next(ctx()).await.unwrap() {
                RunOut::Continue => run = prepared(restart(&run)),
                out => break assert_eq!(output(Ok(out)).text, "Done."),
            }
        }
        assert_eq!(model.asked().len(), 6);
        let texts: Vec<String> = model
            .results()
            .iter()
            .map(|it| it.text.to_string())
            .collect();
        let last = &texts[texts.len() - 3..];
        assert_eq!(
            last,
            [
                r#"{"text":"It is."}"#,
                r#"{"text":"Short."}"#,
                r#"{"text":"None."}"#
            ]
        );
    }
}

/// Looks things up in the archive.
#[agent(runner = "a2a", output = Finding)]
fn archivist(question: &Question) -> String {
    question.text.clone()
}

macro_rules! by_hand {
    ($($name:ident $delegation:expr;)*) => {$(
        #[state]
        struct $name {
            text: String,
        }

        impl Agent for $name {
            type Output = Report;

            fn build() -> AgentConfig {
                AgentConfig::new("", "openai://m").with_delegation($delegation)
            }
        }
    )*};
}

by_hand! {
    RemoteBase Delegation::new().with_ad_hoc::<archivist>();
    FlowBase Delegation::new().with_ad_hoc::<writing>();
    RemoteSkill Delegation::new().with_skill::<archivist>();
    FlowSkill Delegation::new().with_skill::<writing>();
}

#[test]
fn what_has_no_model_is_neither_a_base_nor_a_skill() {
    fn problem<A: Agent<Output = Report>>() -> String {
        let graph = FlowGraph::builder().agent::<A>().build();
        graph.unwrap_err().to_string()
    }
    for (problem, expected) in [
        (
            problem::<RemoteBase>(),
            "`archivist` is a remote agent, and the base of ad-hoc agents is an agent with a model",
        ),
        (
            problem::<FlowBase>(),
            "`writing` is a flow, and the base of ad-hoc agents is an agent with a model",
        ),
        (
            problem::<RemoteSkill>(),
            "`archivist` is a remote agent, and a skill is an agent with a model",
        ),
        (
            problem::<FlowSkill>(),
            "`writing` is a flow, and a skill is an agent with a model",
        ),
    ] {
        assert!(problem.contains(expected), "{problem}");
    }
}
