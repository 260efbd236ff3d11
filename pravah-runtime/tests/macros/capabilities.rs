//! What a flow may reach, and what an agent must not.

use std::time::Duration;

use pravah_runtime::{Constraints, ModelClient, ModelFuture, ModelRequest, Tool, prelude::*};
use serde_json::{Value, json};

#[state]
struct Asked {
    text: String,
}

#[state]
struct Question {
    text: String,
}

#[state]
struct Answer {
    text: String,
}

struct Secret;

/// Reads a note.
#[tool]
async fn read(name: String, _: Files, _: Step) -> Result<String, ToolError> {
    Ok(name)
}

/// Answers.
#[agent(
    model = "openai://gpt-4o-mini",
    output = Answer,
    tools = [read],
    constraints(no_network, no_commands, no_credentials, max_duration = "8s"),
    timeout = "20s",
)]
fn answer(question: &Question) -> String {
    question.text.clone()
}

#[node]
fn look(asked: Asked, _: Files, _: Input<Asked>, _: Step) -> Question {
    Question { text: asked.text }
}

// S5.2
#[flow(named, only(files))]
fn inner(asked: Asked) -> Answer {
    flow! { look -> answer }
}

#[flow(only(deps, files))]
fn outer(asked: Asked) -> Answer {
    flow! { inner }
}

#[flow(named, only())]
fn nothing(asked: Asked) -> Question {
    flow! { pass }
}

#[node]
fn pass(asked: Asked, _: Step) -> Question {
    Question { text: asked.text }
}

fn constraints() -> Value {
    let contracts = inner::graph().unwrap().node_contracts();
    serde_json::to_value(&contracts[1].constraints).unwrap()
}

// S5.1, S5.2
#[test]
fn the_contract_of_an_agent_lists_its_constraints() {
    assert_eq!(
        constraints(),
        json!({
            "maxDurationMs": 8_000,
            "noNetworkAccess": true,
            "noExecutionAuthority": true,
            "noCredentialAccess": true,
        })
    );
    assert!(outer::graph().is_ok() && nothing::graph().is_ok());
}

/// A tool by hand, which has the whole context.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Snoop {}

impl Tool for Snoop {
    type Output = [bool; 3];

    fn name() -> &'static str {
        "snoop"
    }

    fn description() -> &'static str {
        "Looks around."
    }

    async fn call(self, ctx: Context) -> Result<[bool; 3], ToolError> {
        let secret = ctx.dep::<Secret>().map_err(|error| error.is_refused());
        let by_type = Commands::from(&ctx).allowed().is_empty();
        Ok([
            ctx.check_command("git").is_err() && by_type,
            secret.err() == Some(true),
            ctx.files().resolve(".").is_ok(),
        ])
    }
}

#[state]
struct Look {
    text: String,
}

impl Agent for Look {
    type Output = Answer;

    fn build() -> AgentConfig {
        let constraints = Constraints::new().no_network().no_credentials();
        AgentConfig::new("You look around.", "openai://gpt-4o-mini")
            .with_tools(ToolBox::new().with::<Snoop>())
            .with_constraints(constraints)
    }
}

impl Flow for Look {
    type Output = Answer;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder().agent::<Self>().build()
    }
}

// S5.2
#[tokio::test]
async fn the_tools_of_a_constrained_agent_receive_a_context_that_refuses() {
    let script = ScriptedModel::new().call("Look", "snoop", json!({})).call(
        "Look",
        "submit",
        json!({ "text": "b" }),
    );
    let conf = FlowConf {
        commands: vec!["git".into()],
        ..FlowConf::default()
    };
    let ctx = Context::new(conf).with_dep(script).with_dep(Secret);
    let mut run = FlowRuntime::new(Look { text: "?".into() }).unwrap();
    run.next(ctx.clone()).await.unwrap();
    run.next(ctx.clone()).await.unwrap();
    let said = serde_json::to_string(&run.snapshot()).unwrap();
    assert!(said.contains("[true,true,true]"), "{said}");
    assert!(matches!(run.next(ctx).await, Ok(RunOut::Done(_))));
}

#[tokio::test]
async fn a_constrained_agent_calls_tools_that_ask_for_what_it_may_reach() {
    let script = ScriptedModel::new()
        .call("inner::answer", "read", json!({ "name": "a" }))
        .call("inner::answer", "submit", json!({ "text": "b" }));
    let ctx = Context::default().with_dep(script);
    let answer = outer(Asked { text: "?".into() }, ctx).await.unwrap();
    assert_eq!(answer.text, "b");
}

#[test]
fn a_time_of_no_length_is_a_mistake() {
    let config = AgentConfig::new("", "openai://gpt-4o-mini")
        .with_constraints(Constraints::new().max_duration(Duration::ZERO));
    assert_eq!(
        config.check().unwrap_err(),
        ["`max_duration` is 0: the model would never be asked"]
    );
}

/// Slow.
#[agent(
    model = "openai://gpt-4o-mini",
    output = Answer,
    constraints(max_duration = "2s"),
    timeout = "20s",
)]
fn slow(asked: Asked) -> String {
    asked.text
}

#[flow(named)]
fn slowly(asked: Asked) -> Answer {
    flow! { slow }
}

// S5.2, S5.24
#[tokio::test(start_paused = true)]
async fn of_two_times_the_shorter_ends_an_agent() {
    let ctx =
        Context::default().with_dep(ClientFactory::new().with_client(std::sync::Arc::new(Never)));
    let error = slowly(Asked { text: "?".into() }, ctx).await.unwrap_err();
    let FlowError::TimedOut { node, limit, .. } = error else {
        panic!("{error}");
    };
    assert_eq!((&*node, limit), ("slow", Duration::from_secs(2)));
}

/// A model that never answers.
struct Never;

impl ModelClient for Never {
    fn complete<'a>(&'a self, _: &'a ModelRequest) -> ModelFuture<'a> {
        Box::pin(std::future::pending())
    }
}
