//! The next model, where one is unavailable.

use std::sync::{Arc, Mutex};

use pravah_runtime::{
    EventKind, FlowEvent, FlowObserver, ModelErrorKind, ModelOptions, Provider, Server as Remote,
    Timeouts, ToolChoice, prelude::*,
};
use serde_json::json;

use crate::{
    cases,
    flows::{Ticket, Verdict},
    server::{Received, Server, json},
};

/// Searches the articles.
#[tool]
async fn search(query: String) -> Result<String, ToolError> {
    Ok(format!("an article on {query}"))
}

#[agent(
    model = "openai://test-model", preamble = "You triage.", output = Verdict, tools = [search],
    fallback = ["anthropic://test-model", custom("acme://m")], max_retries = 1,
)]
fn triage(_: &Ticket) -> String {
    "The printer is on fire.".to_owned()
}

#[flow(named)]
fn support(ticket: Ticket) -> Verdict {
    flow! { triage }
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl FlowObserver for Log {
    fn on_event(&self, event: &FlowEvent) {
        let line = match &event.kind {
            EventKind::ModelAnswered { model, .. } => format!("answered: {model}"),
            EventKind::ModelFellBack { model, why, .. } => {
                let (why, _seconds) = why.split_once(" in ").unwrap_or((why, ""));
                format!("unavailable: {model}: {why}")
            }
            _ => return,
        };
        self.0.lock().unwrap().push(line);
    }
}

fn factory_of_all(one: &Server, other: &Server) -> ClientFactory {
    let other = format!("http://{}", other.address);
    let factory = one.factory.clone();
    factory
        .with_key(Provider::Anthropic, "key")
        .with_base_url(Provider::Anthropic, other)
        .with_server("acme", Remote::openai_compatible("http://127.0.0.1:1/v1"))
}

/// Anthropic, which hands in the result.
async fn anthropic() -> Server {
    Server::start(Provider::Anthropic, || {
        let input = json!({ "urgent": true, "note": null });
        let call = json!({ "type": "tool_use", "id": "toolu_1", "name": "submit", "input": input });
        let answer = json!({ "type": "message", "content": [call], "stop_reason": "tool_use" });
        json(200, answer.to_string())
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn the_conversation_goes_on_with_the_next_model_after_a_restore_too() {
    // It calls a tool, and then is overloaded.
    let openai = Server::judging(
        Provider::OpenAi,
        |Received { body, .. }| match body["messages"].as_array().map(Vec::len) {
            Some(2) => json(200, cases::read(Provider::OpenAi, "tools.response.json")),
            _ => json(503, r#"{"error":{"message":"overloaded"}}"#),
        },
    )
    .await;
    let anthropic = anthropic().await;
    let log = Log::default();
    let mut run = support::start(Ticket {})
        .unwrap()
        .with_factory(factory_of_all(&openai, &anthropic))
        .with_observer(log.clone());
    while log.0.lock().unwrap().len() < 2 {
        if let RunOut::Waiting { .. } = run.next(Context::default()).await.unwrap() {
            tokio::time::advance(std::time::Duration::from_secs(5)).await;
        }
    }
    // The first try and its only retry, of the second question.
    assert_eq!(openai.requests(), 3);
    let saved = serde_json::to_string(&run.snapshot()).unwrap();
    let saved = serde_json::from_str(&saved).unwrap();
    let mut run = FlowRuntime::<support>::from_snapshot(saved)
        .unwrap()
        .with_factory(factory_of_all(&openai, &anthropic))
        .with_observer(log.clone());
    let out = run.run(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Done(Verdict { urgent: true, .. })));
    assert_eq!(openai.requests(), 3);
    let sent = anthropic.last().body;
    assert_eq!(sent["messages"].as_array().unwrap().len(), 3);
    assert_eq!(sent["messages"][1]["content"][0]["type"], "tool_use");
    let unavailable = format!(
        "unavailable: openai://test-model: overloaded (status 503 at \
         http://{}/v1/chat/completions), after 2 attempts",
        openai.address
    );
    assert_eq!(
        *log.0.lock().unwrap(),
        [
            "answered: openai://test-model",
            &*unavailable,
            "answered: anthropic://test-model",
        ]
    );
}

#[tokio::test]
async fn what_is_wrong_with_the_request_or_the_answer_is_not_asked_of_another_model() {
    for (status, body) in [
        (400, r#"{"error":{"message":"no such model"}}"#),
        (401, r#"{"error":{"message":"no"}}"#),
        (200, r#"{"choices":[]}"#),
        (
            200,
            r#"{"choices":[{"message":{"refusal":"no"},"finish_reason":"stop"}]}"#,
        ),
    ] {
        let openai = Server::start(Provider::OpenAi, move || json(status, body)).await;
        let anthropic = anthropic().await;
        let factory = factory_of_all(&openai, &anthropic);
        let mut run = support::start(Ticket {}).unwrap().with_factory(factory);
        run.run(Context::default()).await.unwrap_err();
        assert_eq!(anthropic.requests(), 0, "{body}");
    }
}

#[tokio::test]
async fn a_used_up_quota_is_a_reason_to_go_on_with_another_model() {
    let body = r#"{"error":{"message":"no money","code":"insufficient_quota"}}"#;
    let openai = Server::start(Provider::OpenAi, move || json(429, body)).await;
    let anthropic = anthropic().await;
    let factory = factory_of_all(&openai, &anthropic);
    let mut run = support::start(Ticket {}).unwrap().with_factory(factory);
    run.run(Context::default()).await.unwrap();
    assert_eq!((openai.requests(), anthropic.requests()), (1, 1));
}

#[test]
fn a_fallback_that_is_no_model_url_is_found_when_the_agent_is_built() {
    let config = AgentConfig::new("", "openai://m").with_fallback("gpt-5");
    let problem = "`gpt-5` has no scheme: write `openai://MODEL`";
    assert_eq!(config.check().unwrap_err(), [problem]);
}

/// OpenAI, which is not to be asked.
async fn unasked() -> Server {
    Server::start(Provider::OpenAi, || json(503, "")).await
}

#[tokio::test]
async fn a_fallback_of_no_registered_provider_is_found_before_anything_is_paid() {
    let (openai, anthropic) = (unasked().await, anthropic().await);
    let factory = openai.factory.clone().with_key(Provider::Anthropic, "key");
    let mut run = support::start(Ticket {}).unwrap().with_factory(factory);
    let error = run.next(Context::default()).await.unwrap_err();
    let FlowError::Model { node, source, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(node, "triage");
    assert_eq!(source.kind(), ModelErrorKind::Config);
    let start = "the fallback `acme://m`: unknown model scheme `acme`";
    assert!(source.to_string().starts_with(start), "{source}");
    assert_eq!((openai.requests(), run.model_calls()), (0, 0));

    // With the scheme the same run goes on.
    let mut run = run.with_factory(factory_of_all(&openai, &anthropic));
    run.next(Context::default()).await.unwrap();
    assert_eq!(openai.requests(), 1);
}

#[tokio::test]
async fn a_fallback_that_refuses_the_options_is_found_before_anything_is_paid() {
    let (openai, anthropic) = (unasked().await, anthropic().await);
    for (options, why) in [
        (
            ModelOptions::new().temperature(0.5),
            "`temperature` cannot be set for `test-model`: Anthropic does not take it",
        ),
        (
            ModelOptions::new().metadata("team", "support"),
            "`team` of `metadata` cannot be set for `test-model`: Anthropic takes only `user_id`",
        ),
    ] {
        let factory = factory_of_all(&openai, &anthropic);
        let run = support::start(Ticket {}).unwrap().with_factory(factory);
        let mut run = run.with_options("triage", options).unwrap();
        let error = run.next(Context::default()).await.unwrap_err();
        let text = error.to_string();
        let of_fallback = format!("the fallback `anthropic://test-model`: {why}");
        assert!(text.contains(&of_fallback), "{text}");
        assert!(text.contains("`triage`"), "{text}");
        assert_eq!((openai.requests(), run.model_calls()), (0, 0));
    }
}

#[tokio::test]
async fn what_the_agents_own_model_refuses_is_told_as_its_own() {
    let (openai, anthropic) = (unasked().await, anthropic().await);
    let factory = factory_of_all(&openai, &anthropic);
    let run = support::start(Ticket {}).unwrap().with_factory(factory);
    let run = run.with_model("triage", "ollama://localhost:1/m").unwrap();
    let options = ModelOptions::new().tool_choice(ToolChoice::Required);
    let mut run = run.with_options("triage", options).unwrap();
    let error = run.next(Context::default()).await.unwrap_err().to_string();
    assert!(error.contains("Ollama does not take it"), "{error}");
    assert!(!error.contains("fallback"), "{error}");
}

/// You triage, and say how sure you are.
#[agent(
    model = custom("acme://m"), output = Verdict,
    contract(confidence = token_level, suppress_below = 0.1),
)]
fn judge(_: &Ticket) -> String {
    "The printer is on fire.".to_owned()
}

#[node]
fn give_up(failure: Failure<Ticket>) -> Verdict {
    let _ = failure;
    Verdict {
        urgent: false,
        note: None,
    }
}

#[flow(named)]
fn judging(ticket: Ticket) -> Verdict {
    flow! { judge; catch(judge) -> give_up }
}

#[tokio::test]
async fn a_server_that_tells_no_probabilities_is_not_asked_for_them_under_any_scheme() {
    let server = Server::start(Provider::Anthropic, || json(200, "")).await;
    let address = format!("http://{}", server.address);
    let remote = Remote::new(Provider::Anthropic, address).key("key");
    let observed = Arc::<Messages>::default();
    let mut run = judging::start(Ticket {})
        .unwrap()
        .with_factory(ClientFactory::new().with_server("acme", remote))
        .with_observer(observed.clone());
    run.run(Context::default()).await.unwrap();
    let failures = observed.0.lock().unwrap().join(" ");
    assert!(
        failures.contains("do not tell how probable their tokens are"),
        "{failures}"
    );
    assert_eq!(
        server.connections.load(std::sync::atomic::Ordering::SeqCst),
        0
    );
}

#[derive(Default)]
struct Messages(Mutex<Vec<String>>);

impl FlowObserver for Messages {
    fn on_event(&self, event: &FlowEvent) {
        if let EventKind::NodeFailed { message, .. } = &event.kind {
            self.0.lock().unwrap().push(message.clone());
        }
    }
}

#[tokio::test]
async fn a_source_of_tokens_that_never_answers_leads_to_the_fallback() {
    let other = Server::start(Provider::Anthropic, || {
        json(
            200,
            cases::read(Provider::Anthropic, "structured.response.json"),
        )
    })
    .await;
    let timeouts = Timeouts::default().token(std::time::Duration::from_millis(20));
    let address = format!("http://{}", other.address);
    let remote = Remote::new(Provider::OpenAi, "http://127.0.0.1:1/v1")
        .token(std::future::pending)
        .timeouts(timeouts);
    let factory = ClientFactory::new()
        .with_server("slow", remote)
        .with_key(Provider::Anthropic, "key")
        .with_base_url(Provider::Anthropic, address);
    let mut run = waiting::start(Ticket {}).unwrap().with_factory(factory);
    let out = run.run(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Done(Verdict { .. })), "{out:?}");
}

/// You triage.
#[agent(
    model = custom("slow://m"), output = Verdict, fallback = ["anthropic://test-model"],
    max_retries = 0,
)]
fn wait_for_a_token(_: &Ticket) -> String {
    "The printer is on fire.".to_owned()
}

#[flow(named)]
fn waiting(ticket: Ticket) -> Verdict {
    flow! { wait_for_a_token }
}

/// Whether the snapshot after the first question says how often models were asked.
async fn counts_questions(factory: ClientFactory) -> bool {
    let mut run = support::start(Ticket {}).unwrap().with_factory(factory);
    assert!(matches!(
        run.next(Context::default()).await,
        Ok(RunOut::Continue)
    ));
    let snapshot = serde_json::to_value(run.snapshot()).unwrap();
    snapshot.get("asked").is_some()
}

#[tokio::test]
async fn questions_are_counted_only_where_one_of_the_agents_models_wants_to_know() {
    let openai = Server::start(Provider::OpenAi, || {
        json(200, cases::read(Provider::OpenAi, "tools.response.json"))
    })
    .await;
    let providers = factory_of_all(&openai, &anthropic().await);
    assert!(!counts_questions(providers).await);
    let with_a_script = openai
        .factory
        .clone()
        .with_key(Provider::Anthropic, "key")
        .register("acme", |_| Ok(Arc::new(ScriptedModel::new())));
    assert!(counts_questions(with_a_script).await);
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_last_fallback_says_whose_it_is() {
    let openai = Server::start(Provider::OpenAi, || {
        json(503, r#"{"error":{"message":"a"}}"#)
    })
    .await;
    let other = Server::start(Provider::Anthropic, || {
        json(529, r#"{"error":{"message":"b"}}"#)
    })
    .await;
    let mut run = support::start(Ticket {})
        .unwrap()
        .with_factory(factory_of_all(&openai, &other));
    let error = run.run(Context::default()).await.unwrap_err().to_string();
    let start = "the model of agent `triage` failed: the fallback `acme://m`: the provider";
    assert!(error.starts_with(start), "{error}");
}

#[tokio::test]
async fn a_snapshot_that_asks_a_fallback_that_is_not_there_is_refused() {
    let openai = Server::start(Provider::OpenAi, || {
        json(200, cases::read(Provider::OpenAi, "tools.response.json"))
    })
    .await;
    let factory = factory_of_all(&openai, &anthropic().await);
    let mut run = support::start(Ticket {}).unwrap().with_factory(factory);
    run.next(Context::default()).await.unwrap();
    let mut snapshot = serde_json::to_value(run.snapshot()).unwrap();
    for (fallback, is_there) in [(2, true), (3, false), (1_u64 << 62, false)] {
        snapshot["agents"]["Ticket"]["fallback"] = fallback.into();
        let snapshot = serde_json::from_value(snapshot.clone()).unwrap();
        let restored = FlowRuntime::<support>::from_snapshot(snapshot);
        let error = restored.err().map(|error| error.to_string());
        let says = "asks a fallback that it does not have";
        assert_eq!(error.is_none(), is_there, "{error:?}");
        assert!(error.is_none_or(|error| error.contains(says)));
    }
}
