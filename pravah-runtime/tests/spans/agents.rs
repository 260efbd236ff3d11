//! Spans of agents, their models and their tools.

use std::time::Duration;

use pravah_runtime::{ScriptedTurn, ToolError, Usage, prelude::*};
use serde_json::json;

use super::record::Spans;

#[state]
struct Draft {
    n: u32,
}
#[state]
#[derive(Debug, PartialEq)]
struct Told {
    n: u32,
}
#[state]
struct Checked {
    n: u32,
}
#[state]
struct Page {
    n: u32,
}

/// Looks something up.
#[tool]
async fn look(word: String) -> Result<String, ToolError> {
    tracing::info_span!("reading").in_scope(|| match &*word {
        "nothing" => Err(ToolError::message("there is nothing")),
        "panic" => panic!("no such word"),
        _ => Ok(word.clone()),
    })
}

/// Asks a person.
#[tool]
async fn ask(ctx: Context) -> Result<String, ToolError> {
    match ctx.resumed::<String>()? {
        Some(answer) => Ok(answer),
        None => Err(ToolError::suspend(json!("Well?"))),
    }
}

/// Takes five minutes.
#[tool]
async fn dawdle() -> Result<String, ToolError> {
    tokio::time::sleep(Duration::from_secs(300)).await;
    Ok("done".to_owned())
}

#[agent(
    model = "openai://m",
    preamble = "Tell.",
    output = Told,
    tools = [look, ask, dawdle],
    max_tokens = 100,
    temperature = 0.5,
    timeout = "1m",
)]
fn tell(_: &Draft) -> String {
    "Tell me of the secret.".to_owned()
}

#[flow(named)]
fn tale(draft: Draft) -> Told {
    flow! { tell }
}

#[agent(model = "ollama://localhost:11434/small", preamble = "Tell.", output = Told, turns(max = 2, idle = "1m"))]
fn plan(_: &Draft) -> String {
    String::new()
}

#[flow(named)]
fn planning(draft: Draft) -> Told {
    flow! { plan }
}

#[node]
async fn check(_: &Draft) -> Result<Checked, std::io::Error> {
    tokio::time::sleep(Duration::from_secs(1)).await;
    Err(std::io::Error::other("no"))
}

#[node]
fn meet(told: Told, checked: Checked) -> Page {
    Page {
        n: told.n + checked.n,
    }
}

#[flow(named)]
fn both(draft: Draft) -> Page {
    flow! { fork(tell, check) -> join(meet) }
}

#[node]
fn rescue(failure: Failure<Draft>) -> Page {
    Page { n: failure.input.n }
}

#[flow(named)]
fn rescued(draft: Draft) -> Page {
    flow! { both -> done; catch(both) -> rescue }
}

fn ctx(script: ScriptedModel) -> Context {
    Context::default().with_dep(script)
}

#[tokio::test]
async fn an_agent_is_a_span_with_its_model_calls_and_its_tools() {
    let spans = Spans::listen();
    let script = ScriptedModel::new()
        .call("tell", "look", json!({ "word": "rain" }))
        .reply("tell", json!({ "n": 2 }));
    let mut run = tale::start(Draft { n: 1 }).unwrap().with_run_id("r");
    run.run(ctx(script)).await.unwrap();
    assert_eq!(
        spans.tree(),
        "invoke_workflow tale\n  invoke_agent tell\n    chat m\n    execute_tool look\n      reading\n    chat m\n"
    );
    let agent = &spans.named("invoke_agent")[0];
    let expected = [
        ("gen_ai.agent.name", "tell"),
        ("gen_ai.conversation.id", "r"),
        ("gen_ai.operation.name", "invoke_agent"),
        ("gen_ai.provider.name", "openai"),
        ("gen_ai.request.model", "m"),
        ("otel.kind", "internal"),
        ("otel.name", "invoke_agent tell"),
        ("pravah.agent_run.id", "r/tell(Draft)#1@1"),
    ];
    let fields = agent.fields.iter().map(|(key, value)| (&**key, &**value));
    assert_eq!(fields.collect::<Vec<_>>(), expected);
    let tool = &spans.named("execute_tool")[0];
    let expected = [
        ("gen_ai.conversation.id", "r"),
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "look"),
        ("gen_ai.tool.type", "function"),
        ("otel.kind", "internal"),
        ("otel.name", "execute_tool look"),
    ];
    let mut fields = tool.fields.clone();
    assert!(fields.remove("gen_ai.tool.call.id").is_some());
    let fields = fields.iter().map(|(key, value)| (&**key, &**value));
    assert_eq!(fields.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_model_call_says_what_was_asked_for_and_what_it_cost() {
    let spans = Spans::listen();
    let usage = Usage::new(120, 30).with_cached(100).with_reasoning(20);
    let answer = ScriptedTurn::reply(json!({ "n": 2 })).with_usage(usage);
    let script = ScriptedModel::new().turn("tell", answer);
    tale::start(Draft { n: 1 })
        .unwrap()
        .with_run_id("r")
        .run(ctx(script))
        .await
        .unwrap();
    let chat = &spans.named("chat")[0];
    let mut fields = chat.fields.clone();
    // With the feature `opentelemetry` it is a list, which only that has.
    fields.remove("gen_ai.response.finish_reasons");
    let expected = [
        ("gen_ai.conversation.id", "r"),
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.provider.name", "openai"),
        ("gen_ai.request.max_tokens", "100"),
        ("gen_ai.request.model", "m"),
        ("gen_ai.request.temperature", "0.5"),
        ("gen_ai.usage.cache_read.input_tokens", "100"),
        ("gen_ai.usage.input_tokens", "120"),
        ("gen_ai.usage.output_tokens", "30"),
        ("gen_ai.usage.reasoning.output_tokens", "20"),
        ("otel.kind", "client"),
        ("otel.name", "chat m"),
    ];
    let fields = fields.iter().map(|(key, value)| (&**key, &**value));
    assert_eq!(fields.collect::<Vec<_>>(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_does_not_answer_is_a_span_for_each_try() {
    let spans = Spans::listen();
    let busy = ScriptedTurn::error("the secret of the provider").with_retry();
    let script = ScriptedModel::new()
        .turn("tell", busy)
        .reply("tell", json!({ "n": 2 }));
    tale::start(Draft { n: 1 })
        .unwrap()
        .run(ctx(script))
        .await
        .unwrap();
    assert_eq!(
        spans.tree(),
        "invoke_workflow tale\n  invoke_agent tell\n    chat m: upstream\n    chat m\n"
    );
    assert!(!format!("{:?}", spans.all()).contains("secret"));
}

#[tokio::test]
async fn tools_that_fail_and_panic_say_so_without_a_reason() {
    let spans = Spans::listen();
    let script = ScriptedModel::new()
        .call("tell", "look", json!({ "word": "nothing" }))
        .call("tell", "look", json!({ "word": "panic" }));
    let mut run = tale::start(Draft { n: 1 }).unwrap();
    run.run(ctx(script)).await.unwrap_err();
    assert_eq!(
        spans.tree(),
        "invoke_workflow tale: panic\n  invoke_agent tell: panic\n    chat m\n    \
         execute_tool look: error\n      reading\n    chat m\n    execute_tool look: panic\n      reading\n"
    );
    let all = format!("{:?}", spans.all());
    assert!(!all.contains("nothing") && !all.contains("no such word"));
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_no_call_of_a_tool() {
    let spans = Spans::listen();
    let script = ScriptedModel::new()
        .call("tell", "look", json!({ "word": 7 }))
        .reply("tell", json!({ "n": 2 }));
    tale::start(Draft { n: 1 })
        .unwrap()
        .run(ctx(script))
        .await
        .unwrap();
    assert_eq!(
        spans.tree(),
        "invoke_workflow tale\n  invoke_agent tell\n    chat m\n    chat m\n"
    );
}

#[tokio::test]
async fn an_agent_that_asks_a_person_is_a_span_before_and_a_span_after() {
    let spans = Spans::listen();
    let script = ScriptedModel::new()
        .call("tell", "ask", json!({}))
        .reply("tell", json!({ "n": 2 }));
    let ctx = ctx(script);
    let mut run = tale::start(Draft { n: 1 }).unwrap();
    let RunOut::Suspend { tool_id, .. } = run.run(ctx.clone()).await.unwrap() else {
        panic!("it asks");
    };
    let before = "invoke_workflow tale\n  invoke_agent tell\n    chat m\n    execute_tool ask\n";
    assert_eq!(spans.tree(), before);
    run.answer(ctx.clone(), &tool_id, "Well.").await.unwrap();
    run.run(ctx).await.unwrap();
    let after = "invoke_workflow tale\n  invoke_agent tell\n    execute_tool ask\n    chat m\n";
    assert_eq!(spans.tree(), format!("{before}{after}"));
    let agents = spans.named("invoke_agent");
    let id = |at: usize| agents[at].field("pravah.agent_run.id").to_owned();
    assert_eq!(id(0), id(1));
}

#[tokio::test(start_paused = true)]
async fn an_agent_whose_time_is_over_and_what_it_was_doing_are_closed() {
    let spans = Spans::listen();
    let script = ScriptedModel::new().call("tell", "dawdle", json!({}));
    let mut run = tale::start(Draft { n: 1 }).unwrap();
    run.run(ctx(script)).await.unwrap_err();
    assert_eq!(
        spans.tree(),
        "invoke_workflow tale: timeout\n  invoke_agent tell: timeout\n    chat m\n    \
         execute_tool dawdle: cancelled\n"
    );
}

#[tokio::test(start_paused = true)]
async fn an_agent_for_which_nobody_waits_any_more_is_cancelled() {
    let spans = Spans::listen();
    let script = ScriptedModel::new().call("both::tell", "dawdle", json!({}));
    let run = rescued::start(Draft { n: 1 }).unwrap();
    run.with_concurrency(2).run(ctx(script)).await.unwrap();
    assert_eq!(
        spans.tree(),
        "invoke_workflow rescued\n  invoke_agent both::tell: cancelled\n    chat m\n    \
         execute_tool dawdle: cancelled\n"
    );
}

#[tokio::test(start_paused = true)]
async fn each_turn_of_a_multi_turn_agent_is_a_span() {
    let spans = Spans::listen();
    let script = ScriptedModel::new()
        .reply("plan", json!({ "n": 1 }))
        .reply("plan", json!({ "n": 2 }));
    let mut run = planning::start(Draft { n: 1 }).unwrap();
    let hub = run.hub();
    let mut turns = hub.events().only(["agent:turn"]);
    let writer = tokio::spawn(async move {
        turns.next().await.unwrap();
        hub.send_to("plan", "Shorter.").await
    });
    let out = run.serve(ctx(script)).await.unwrap();
    assert_eq!(out, RunOut::Done(Told { n: 2 }));
    writer.await.unwrap().unwrap();
    let turn = "invoke_workflow planning\n  invoke_agent plan\n    chat small\n";
    assert_eq!(spans.tree(), turn.repeat(2));
    let chat = &spans.named("chat")[0];
    assert_eq!(chat.field("gen_ai.provider.name"), "ollama");
    assert_eq!(chat.field("server.address"), "localhost");
    assert_eq!(chat.field("server.port"), "11434");
    assert_eq!(chat.field("gen_ai.output.type"), "json");
}
