//! What a user sets, in the words of each provider.

use std::time::Duration;

use pravah_runtime::{
    Effort, ModelErrorKind, ModelOptions, ModelRequest, Provider, Reasoning, ToolChoice, prelude::*,
};
use serde_json::json;

use crate::{
    cases,
    flows::{Ticket, Verdict},
    requests::sends,
    server::{Server, json as answer},
};

/// Every option that a provider takes.
fn every(provider: Provider) -> ModelOptions {
    let common = ModelOptions::new().max_tokens(500);
    let sampled = |options: ModelOptions| options.temperature(0.25).top_p(0.5);
    match provider {
        Provider::OpenAi => sampled(common)
            .reasoning(Effort::Low)
            .seed(7)
            .stop("END")
            .stop("STOP")
            .metadata("team", "support")
            .extra("service_tier", "flex"),
        Provider::OpenAiResponses => sampled(common)
            .reasoning(Effort::ExtraHigh)
            .metadata("team", "support")
            .extra("truncation", "auto"),
        Provider::Anthropic => common
            .reasoning(Effort::Max)
            .stop("END")
            .metadata("user_id", "u-1")
            .extra("service_tier", "standard_only"),
        Provider::Gemini => sampled(common)
            .reasoning(2_000)
            .seed(7)
            .stop("END")
            .extra("generationConfig", json!({ "topK": 40 })),
        Provider::Ollama => sampled(common)
            .reasoning(Effort::High)
            .seed(7)
            .stop("END")
            .extra("options", json!({ "num_ctx": 8_192 }))
            .extra("keep_alive", "5m"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn every_option_is_sent_in_the_words_of_the_provider() {
    for provider in Provider::ALL {
        let mut request = cases::structured();
        request.options = every(provider);
        sends(provider, "options", &request).await;
    }
}

#[tokio::test]
async fn a_number_of_tokens_for_reasoning_leaves_room_for_the_answer() {
    let mut request = cases::tools();
    request.model = "claude-opus-4-5".to_owned();
    request.options = ModelOptions::new().reasoning(8_000);
    sends(Provider::Anthropic, "budget", &request).await;

    request.options = request.options.max_tokens(8_000);
    let server = Server::start(Provider::Anthropic, || answer(200, "{}")).await;
    let error = server.client.complete(&request).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`max_tokens = 8000` cannot be set for `claude-opus-4-5`: it leaves nothing beside 8000 \
         tokens of reasoning"
    );
    assert_eq!(server.requests(), 0);
}

#[tokio::test]
async fn a_call_is_forced_where_the_user_says_so() {
    for provider in Provider::ALL {
        let mut request = cases::tools();
        request.options = ModelOptions::new().tool_choice(ToolChoice::Required);
        if provider != Provider::Ollama {
            sends(provider, "forced", &request).await;
        }
    }
    let mut request = cases::tools();
    request.model = "gpt-4o".to_owned();
    request.options = ModelOptions::new().tool_choice(ToolChoice::Auto);
    assert!(
        sent(Provider::OpenAi, &request)
            .await
            .get("tool_choice")
            .is_none()
    );
}

async fn sent(provider: Provider, request: &ModelRequest) -> serde_json::Value {
    let body = cases::read(provider, "structured.response.json");
    let server = Server::start(provider, move || answer(200, body.clone())).await;
    server.client.complete(request).await.unwrap();
    server.last().body
}

#[tokio::test]
async fn the_marks_for_anthropics_cache_can_be_left_out() {
    let marked = sent(Provider::Anthropic, &cases::tools()).await;
    assert_eq!(marked["system"][0]["cache_control"]["type"], "ephemeral");
    let last = &marked["messages"][0]["content"][0];
    assert_eq!(last["cache_control"]["type"], "ephemeral");

    let mut request = cases::tools();
    request.options = ModelOptions::new().prompt_cache(false);
    let plain = sent(Provider::Anthropic, &request).await;
    assert!(!plain.to_string().contains("cache_control"));

    // Without a system prompt the tools are what stays the same.
    let mut request = cases::tools();
    request.system = String::new();
    let marked = sent(Provider::Anthropic, &request).await;
    let tools = marked["tools"].as_array().unwrap();
    let marks: Vec<bool> = tools
        .iter()
        .map(|it| it.get("cache_control").is_some())
        .collect();
    assert_eq!(marks, [false, true]);
}

#[agent(
    model = "openai://test-model", preamble = "You triage.", output = Verdict,
    max_tokens = 500, temperature = 0, reasoning = low, call_timeout = "90s",
    metadata(team = "support", origin = "agent"), extra(user = "u-1"),
)]
fn triage(_: &Ticket) -> String {
    "The printer is on fire.".to_owned()
}

#[flow(named)]
fn support(ticket: Ticket) -> Verdict {
    flow! { triage }
}

#[tokio::test]
async fn the_run_comes_before_the_agent_and_the_agent_before_the_client() {
    let body = cases::read(Provider::OpenAi, "structured.response.json");
    let server = Server::start(Provider::OpenAi, move || answer(200, body.clone())).await;
    let factory = server
        .factory
        .clone()
        .with_options(ModelOptions::new().seed(1).top_p(0.25))
        .with_provider(Provider::OpenAi, |openai| {
            openai.options(
                ModelOptions::new()
                    .seed(2)
                    .max_tokens(1)
                    .metadata("origin", "client")
                    .metadata("region", "eu"),
            )
        });
    let mut run = support::start(Ticket {})
        .unwrap()
        .with_factory(factory)
        .with_options("triage", ModelOptions::new().temperature(0.5))
        .unwrap();
    run.run(Context::default()).await.unwrap();
    let sent = server.last().body;
    assert_eq!(sent["temperature"], 0.5);
    assert_eq!(sent["max_completion_tokens"], 500);
    assert_eq!(sent["reasoning_effort"], "low");
    assert_eq!(sent["seed"], 2);
    assert_eq!(sent["top_p"], 0.25);
    assert_eq!(sent["user"], "u-1");
    let metadata = json!({ "team": "support", "origin": "agent", "region": "eu" });
    assert_eq!(sent["metadata"], metadata);
}

#[tokio::test]
async fn options_of_no_agent_or_of_no_meaning_are_refused() {
    let run = support::start(Ticket {}).unwrap();
    let error = run.with_options("nobody", ModelOptions::new()).unwrap_err();
    assert!(matches!(error, FlowError::NotFound(node) if node == "nobody"));
    let run = support::start(Ticket {}).unwrap();
    let options = ModelOptions::new().temperature(f64::NAN);
    let error = run.with_options("triage", options).unwrap_err();
    assert!(
        error.to_string().contains("`temperature` is NaN"),
        "{error}"
    );

    let config = AgentConfig::new("", "openai://m")
        .with_options(ModelOptions::new().max_tokens(0).top_p(2.0));
    assert_eq!(
        config.check().unwrap_err(),
        [
            "`max_tokens` is 0: there would be no answer",
            "`top_p` is 2: it is a number from 0 to 1",
        ]
    );
}

/// The clock runs ahead whenever nothing else does.
#[tokio::test(start_paused = true)]
async fn a_call_takes_no_longer_than_its_options_say() {
    // It takes connections, and that is all.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (factory, _) = crate::server::factory(Provider::OpenAi, &address);
    let mut run = support::start(Ticket {}).unwrap().with_factory(factory);
    let start = tokio::time::Instant::now();
    let error = run.next(Context::default()).await.unwrap_err();
    let FlowError::Model { source, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(source.kind(), ModelErrorKind::TimedOut);
    let text = source.to_string();
    let start_of_text = "the answer was not complete within 90s (at ";
    assert!(text.starts_with(start_of_text), "{text}");
    assert_eq!(start.elapsed().as_secs(), Duration::from_secs(90).as_secs());
    // It is not asked again by itself, and it may have been paid for.
    assert_eq!(run.model_calls(), 1);
}

#[test]
fn a_number_and_a_word_are_both_ways_to_say_how_much_to_reason() {
    assert_eq!(Reasoning::from(100), Reasoning::Tokens(100));
    assert_eq!(Reasoning::from(Effort::Low), Reasoning::Effort(Effort::Low));
}

#[agent(
    model = "openai://test-model",
    preamble = "You triage.",
    output = Verdict
)]
fn without_tools(_: &Ticket) -> String {
    "The printer is on fire.".to_owned()
}

#[flow(named)]
fn toolless(ticket: Ticket) -> Verdict {
    flow! { without_tools }
}

#[tokio::test]
async fn an_agent_without_tools_cannot_be_made_to_call_one() {
    let problem = "`tool_choice` is `required`, and the agent has no tools";
    let required = || ModelOptions::new().tool_choice(ToolChoice::Required);
    let config = AgentConfig::new("You triage.", "openai://m").with_options(required());
    assert_eq!(config.check().unwrap_err(), [problem]);

    let body = cases::read(Provider::OpenAi, "structured.response.json");
    let server = Server::start(Provider::OpenAi, move || answer(200, body.clone())).await;
    let run = || toolless::start(Ticket {}).unwrap();
    let of_run = run().with_factory(server.factory.clone());
    let mut of_run = of_run.with_options("without_tools", required()).unwrap();
    let error = of_run.run(Context::default()).await.unwrap_err();
    let text = format!("the options of agent `without_tools`: {problem}");
    assert!(error.to_string().contains(&text), "{error}");
    assert_eq!(server.requests(), 0);

    // A factory serves other agents too.
    let factory = server.factory.clone().with_options(required());
    let mut of_factory = run().with_factory(factory);
    let out = of_factory.run(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Done(_)));
    assert!(server.last().body.get("tool_choice").is_none());
}
