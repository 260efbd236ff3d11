//! Agents against a mock server of other people's making that speaks as the providers do.
//!
//! It is started where `PRAVAH_AIMOCK` names its program, `llmock` of the npm package
//! `@copilotkit/aimock`; elsewhere these tests say that they were skipped.

#![cfg(feature = "providers")]
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used
)]

mod server;

use std::{
    sync::Mutex,
    time::{Duration, SystemTime},
};

use pravah_runtime::{
    FlowEvent, FlowObserver, Message, ModelErrorKind, ModelRequest, ModelUrl, OutputSpec, ToModel,
    prelude::*,
};
use server::{Mock, Target};

#[state]
struct Ticket {
    text: String,
}

#[state]
#[derive(Debug, PartialEq)]
struct Verdict {
    urgent: bool,
    note: Option<String>,
}

#[agent(model = "openai://test-model", preamble = "You triage.", output = Verdict)]
fn triage(ticket: &Ticket) -> String {
    ticket.text.clone()
}

#[flow(named)]
fn structured(ticket: Ticket) -> Verdict {
    flow! { triage }
}

/// Searches the articles.
#[tool]
async fn search(query: String) -> Result<Vec<String>, ToolError> {
    Ok(vec![format!("an article on {query}")])
}

#[agent(model = "openai://test-model", preamble = "You research.", output = Verdict, tools = [search])]
fn research(ticket: &Ticket) -> String {
    ticket.text.clone()
}

#[flow(named)]
fn with_tools(ticket: Ticket) -> Verdict {
    flow! { research }
}

fn ticket(text: &str) -> Ticket {
    Ticket {
        text: text.to_owned(),
    }
}

fn triaged(target: &Target, text: &str) -> FlowRuntime<structured> {
    let run = structured::start(ticket(text)).unwrap();
    run.with_factory(target.factory.clone())
        .with_model("triage", &target.url)
        .unwrap()
}

fn verdict(urgent: bool, note: &str) -> Verdict {
    Verdict {
        urgent,
        note: Some(note.to_owned()),
    }
}

/// The mock, or the word that there is none.
macro_rules! mock {
    () => {
        match Mock::start().await {
            Some(mock) => mock,
            None => return eprintln!("skipped: PRAVAH_AIMOCK is not set"),
        }
    };
}

#[tokio::test]
async fn json_comes_back_from_every_provider() {
    let mock = mock!();
    for target in mock.targets() {
        let mut run = triaged(&target, "a plain question");
        let out = run.run(Context::default()).await.unwrap();
        assert_eq!(
            out,
            RunOut::Done(verdict(true, "on fire")),
            "{}",
            target.url
        );
    }
}

#[tokio::test]
async fn tools_are_called_side_by_side_by_every_provider() {
    let mock = mock!();
    for target in mock.targets() {
        let mut run = with_tools::start(ticket("two searches, please"))
            .unwrap()
            .with_factory(target.factory.clone())
            .with_model("research", &target.url)
            .unwrap();
        let out = run.run(Context::default()).await.unwrap();
        assert_eq!(out, RunOut::Done(verdict(false, "found")), "{}", target.url);
        let said = run.history().get("research").unwrap().messages();
        let Message::Tool { results, .. } = &said[2] else {
            panic!("{said:?}")
        };
        let texts: Vec<&str> = results.iter().map(|result| result.text.as_ref()).collect();
        assert_eq!(
            texts,
            ["[\"an article on printer\"]", "[\"an article on toner\"]"]
        );
    }
}

/// Wants to hear what models say.
struct Listener;

impl FlowObserver for Listener {
    fn on_event(&self, _: &FlowEvent) {}

    fn wants_text(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn a_run_that_is_listened_to_comes_to_the_same_end() {
    let mock = mock!();
    for target in mock.targets() {
        let run = with_tools::start(ticket("two searches, please")).unwrap();
        let mut run = run
            .with_factory(target.factory.clone())
            .with_observer(Listener)
            .with_model("research", &target.url)
            .unwrap();
        let out = run.run(Context::default()).await.unwrap();
        assert_eq!(out, RunOut::Done(verdict(false, "found")), "{}", target.url);
        let mut run = triaged(&target, "a plain question").with_observer(Listener);
        let out = run.run(Context::default()).await.unwrap();
        assert_eq!(
            out,
            RunOut::Done(verdict(true, "on fire")),
            "{}",
            target.url
        );
    }
}

#[tokio::test]
async fn an_answer_that_is_no_json_is_repaired_by_every_provider() {
    let mock = mock!();
    for target in mock.targets() {
        let mut run = triaged(&target, "wrong first");
        let out = run.run(Context::default()).await.unwrap();
        assert_eq!(
            out,
            RunOut::Done(verdict(true, "repaired")),
            "{}",
            target.url
        );
    }
}

#[tokio::test]
async fn a_rate_limit_is_waited_for_as_long_as_it_asks() {
    let mock = mock!();
    for target in mock.targets() {
        let before = SystemTime::now();
        let mut run = triaged(&target, "too often");
        assert_eq!(
            run.next(Context::default()).await.unwrap(),
            RunOut::Continue
        );
        let RunOut::Waiting { until, .. } = run.next(Context::default()).await.unwrap() else {
            panic!("{}", target.url)
        };
        let wait = until.unwrap().duration_since(before).unwrap();
        assert!(
            wait >= Duration::from_millis(6_900),
            "{}: {wait:?}",
            target.url
        );
    }
}

#[tokio::test]
async fn a_broken_server_is_waited_for() {
    let mock = mock!();
    for target in mock.targets() {
        for text in ["a broken server", "it hangs up"] {
            let mut run = triaged(&target, text);
            assert_eq!(
                run.next(Context::default()).await.unwrap(),
                RunOut::Continue
            );
            let out = run.next(Context::default()).await.unwrap();
            assert!(matches!(out, RunOut::Waiting { .. }), "{}", target.url);
        }
    }
}

#[tokio::test]
async fn an_answer_that_is_no_answer_is_an_error_and_the_run_goes_on_from_there() {
    let mock = mock!();
    for target in mock.targets() {
        let mut run = triaged(&target, "no JSON at all");
        let before = serde_json::to_value(run.snapshot()).unwrap();
        assert_eq!(run.model_calls(), 0);
        let error = run.run(Context::default()).await.unwrap_err();
        let FlowError::Model { source, .. } = error else {
            panic!("{error}")
        };
        assert_eq!(source.kind(), ModelErrorKind::Malformed, "{}", target.url);
        // Somebody may have to pay for it all the same.
        assert_eq!(run.model_calls(), 1);
        let mut after = serde_json::to_value(run.snapshot()).unwrap();
        assert_eq!(after["failed"]["Ticket"]["kind"], "error");
        let noted = ["asked", "calls", "usage", "failed", "ready"];
        let fields = after.as_object_mut().unwrap();
        fields.retain(|field, _| !noted.contains(&field.as_str()));
        assert_eq!(after, before);
    }
}

fn request(text: &str) -> ModelRequest {
    let message = Message::user(text.to_model());
    let mut request = ModelRequest::new("test-model", vec![message]);
    request.node = "triage".to_owned();
    request.system = "You triage.".to_owned();
    request.output = Some(OutputSpec::new(
        "Verdict",
        serde_json::json!({ "type": "object", "properties": {
                "urgent": { "type": "boolean" }, "note": { "type": ["string", "null"] },
            }, "required": ["urgent", "note"] }),
    ));
    request
}

#[tokio::test]
async fn a_stream_is_the_same_answer_in_pieces() {
    let mock = mock!();
    for target in mock.targets() {
        let url = ModelUrl::parse(&target.url).unwrap();
        let client = target.factory.clone().client(&url).unwrap();
        let request = request("takes its time");
        let heard = Mutex::new(Vec::new());
        let hear = |text: &str| heard.lock().unwrap().push(text.to_owned());
        let streamed = client.stream(&request, &hear).await.unwrap();
        let whole = client.complete(&request).await.unwrap();
        assert_eq!((&streamed.text, &streamed.stop), (&whole.text, &whole.stop));
        let heard = heard.into_inner().unwrap();
        assert!(heard.len() > 3, "{}: {heard:?}", target.url);
        assert_eq!(Some(heard.concat()), streamed.text);
    }
}

#[tokio::test]
async fn a_stream_that_is_cut_off_is_no_answer() {
    let mock = mock!();
    for target in mock.targets() {
        let url = ModelUrl::parse(&target.url).unwrap();
        let client = target.factory.clone().client(&url).unwrap();
        let answer = client.stream(&request("breaks off"), &|_| {}).await;
        let error = answer.unwrap_err();
        assert_eq!(error.kind(), ModelErrorKind::Transport, "{}", target.url);
        assert!(error.is_retryable());
    }
}
