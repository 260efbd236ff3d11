//! What waits for tasks leave alone: reviews, messages, times, failures, and whoever observes them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use futures_util::FutureExt as _;
use pravah_runtime::{
    Arguments, ManualClock, ModelClient, ModelError, ModelErrorKind, ModelFuture, ModelRequest,
    ModelResponse, ToolCall, prelude::*,
};
use serde_json::{Value, json};

use super::{
    Question, Report, clock, ctx, in_background, question, researcher, rest, results_of, text,
};
use crate::macros_support::Recorder;

fn wait(seconds: u64) -> Value {
    json!({ "task_id": "task_1", "timeout_seconds": seconds })
}

#[agent(model = "openai://m", preamble = "P.", output = Report, agents = [researcher], delegation(join = [single, detached]),
    contract(suppress_below = 0.4, review = 0.4..=0.9, auto_approve_above = 0.9, confidence = verbalized))]
fn judge(question: &Question) -> String {
    question.text.clone()
}
#[node]
fn rescue(failure: Failure<Question>) -> Report {
    Report {
        text: format!("{:?}: {}", failure.kind, failure.message),
    }
}
#[flow(named)]
fn judging(question: Question) -> Report {
    flow! { judge -> done; catch(judge) -> rescue -> done }
}

#[tokio::test]
async fn a_review_stays_open_when_a_task_ends_whose_wait_has_timed_out() {
    let script = ScriptedModel::new()
        .call("judge", "call_agent", in_background(&["One."]))
        .call("judge", "wait_task", wait(5))
        .call("researcher", "ask", json!({}))
        .call("judge", "submit", json!({ "primary_output": { "text": "U" }, "confidence": 0.6, "confidence_type": "verbalized", "escalate": false, "reasoning": "r" }))
        .reply("researcher", text("first"));
    let (clock, model) = (clock(), Recorder::new(script));
    let mut run = judging::start(question())
        .unwrap()
        .with_factory(model.factory())
        .with_clock(clock.clone());
    assert_eq!(rest(&mut run).await, "Task until Some(1005)");
    clock.advance(Duration::from_secs(5));
    rest(&mut run).await;
    let open = |run: &FlowRuntime<judging>| {
        run.suspensions()
            .iter()
            .map(|it| it.tool_id.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(open(&run), ["researcher::ask[1]", "judge"]);
    run.resume(ctx(), ("researcher::ask[1]", json!("Yes.")))
        .await
        .unwrap();
    loop {
        let snapshot =
            serde_json::from_value(serde_json::to_value(run.snapshot()).unwrap()).unwrap();
        println!(
            "LOADS after {:?}: {:?}",
            run.last_step().map(|it| it.to_string()),
            FlowRuntime::<judging>::from_snapshot(snapshot)
                .map(|_| ())
                .map_err(|error| error.to_string())
        );
        if !matches!(run.next(ctx()).await, Ok(RunOut::Continue)) {
            break;
        }
    }
    let rests = rest(&mut run).await;
    assert_eq!(
        (rests.as_str(), open(&run)),
        (
            "error: `judge` waits for an answer",
            vec!["judge".to_owned()]
        )
    );
}

#[agent(model = "openai://m", preamble = "P.", output = Report, agents = [researcher], turns(max = 5, idle = "1h"), delegation(join = [single, detached]))]
fn talker(question: &Question) -> String {
    question.text.clone()
}
#[flow(named)]
fn talking(question: Question) -> Report {
    flow! { talker }
}

#[tokio::test]
async fn an_agent_goes_on_listening_when_a_task_ends_whose_wait_has_timed_out() {
    let script = ScriptedModel::new()
        .call("talker", "call_agent", in_background(&["One."]))
        .call("talker", "wait_task", wait(5))
        .call("researcher", "ask", json!({}))
        .call("talker", "submit", text("Answer."))
        .reply("researcher", text("first"));
    let (clock, model) = (clock(), Recorder::new(script));
    let mut run = talking::start(question())
        .unwrap()
        .with_factory(model.factory())
        .with_clock(clock.clone());
    rest(&mut run).await;
    clock.advance(Duration::from_secs(5));
    assert_eq!(rest(&mut run).await, "Message until Some(4605)");
    run.resume(ctx(), ("researcher::ask[1]", json!("Yes.")))
        .await
        .unwrap();
    assert_eq!(rest(&mut run).await, "Message until Some(4605)");
}

#[derive(Clone, Default)]
struct Limited(Arc<AtomicUsize>);
impl ModelClient for Limited {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        let call = |name: &str, arguments| {
            Ok(ModelResponse::calls([ToolCall::new(
                "",
                name,
                Arguments::Json(arguments),
            )]))
        };
        let answer = match (&*request.node, results_of(request).len()) {
            ("lead", 0) => call("call_agent", in_background(&["One."])),
            ("lead", 1) => call("wait_task", wait(5)),
            ("lead", _) => match self.0.fetch_add(1, SeqCst) {
                0 => Err(ModelError::new(ModelErrorKind::RateLimited, "slow")
                    .with_retry_after(Some(Duration::from_secs(100)))),
                _ => call("submit", text("Done.")),
            },
            (_, 0) => call("ask", json!({})),
            _ => call("submit", text("first")),
        };
        Box::pin(async move { answer })
    }
}
#[tokio::test]
async fn a_model_is_not_asked_before_its_time_when_a_task_ends_whose_wait_has_timed_out() {
    let (clock, model) = (clock(), Limited::default());
    let run = FlowRuntime::new(question()).unwrap();
    let mut run = run
        .with_factory(ClientFactory::new().with_client(Arc::new(model.clone())))
        .with_clock(clock.clone());
    rest(&mut run).await;
    clock.advance(Duration::from_secs(5));
    assert_eq!(rest(&mut run).await, "Model until Some(1105)");
    run.resume(ctx(), ("researcher::ask[1]", json!("Yes.")))
        .await
        .unwrap();
    assert_eq!(rest(&mut run).await, "Model until Some(1105)");
    assert_eq!(model.0.load(SeqCst), 1);
}

/// Takes long.
#[tool]
async fn take_long(ctx: Context) -> Result<String, ToolError> {
    ctx.dep::<ManualClock>()
        .unwrap()
        .advance(Duration::from_secs(60));
    Ok("rested".into())
}
#[agent(model = "openai://m", preamble = "P.", output = Report, agents = [researcher], tools = [take_long], total_timeout = "10s", delegation(join = [single, detached]))]
fn timed(question: &Question) -> String {
    question.text.clone()
}
#[flow(named)]
fn timing(question: Question) -> Report {
    flow! { timed }
}

#[tokio::test]
async fn the_time_for_all_attempts_runs_on_after_a_wait_for_a_task() {
    let script = ScriptedModel::new()
        .call("timed", "call_agent", in_background(&["One."]))
        .call("timed", "wait_task", wait(50))
        .reply("researcher", text("first"))
        .call("timed", "take_long", json!({}))
        .call("timed", "submit", text("Done."));
    let (clock, model) = (clock(), Recorder::new(script));
    let mut run = timing::start(question())
        .unwrap()
        .with_factory(model.factory())
        .with_clock(clock.clone());
    let error = loop {
        match run.next(ctx().with_dep(clock.clone())).await {
            Ok(RunOut::Done(out)) => panic!("{out:?}"),
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert!(matches!(error, FlowError::TimedOut { .. }), "{error}");
}

static TRIES: AtomicUsize = AtomicUsize::new(0);
/// Sends.
#[tool]
async fn send(answer: Resumed<String>) -> Result<String, ToolError> {
    if answer.0.is_none() {
        return Err(ToolError::suspend("?"));
    }
    TRIES.fetch_add(1, SeqCst);
    Err(ToolError::fatal("refused"))
}
#[agent(model = "openai://m", preamble = "P.", output = Report, agents = [researcher], tools = [send], delegation(join = [single, detached]))]
fn sender(question: &Question) -> String {
    question.text.clone()
}
#[flow(named, fail_fast = false)]
fn sending(question: Question) -> Report {
    flow! { sender }
}

#[tokio::test]
async fn an_agent_that_has_failed_is_not_tried_again_because_its_task_ends() {
    let script = ScriptedModel::new()
        .call("sender", "call_agent", in_background(&["One."]))
        .calls("sender", [("send", json!({})), ("wait_task", wait(50))])
        .call("researcher", "ask", json!({}))
        .reply("researcher", text("first"));
    let model = Recorder::new(script);
    let mut run = sending::start(question())
        .unwrap()
        .with_factory(model.factory())
        .with_clock(clock());
    rest(&mut run).await;
    let _ = run.resume(ctx(), ("sender::send", json!("Yes."))).await;
    assert_eq!(TRIES.load(SeqCst), 1);
    rest(&mut run).await;
    run.resume(ctx(), ("researcher::ask[1]", json!("Yes.")))
        .await
        .unwrap();
    assert_eq!(
        rest(&mut run).await,
        "error: tool `send` of agent `sender` failed: refused"
    );
    assert_eq!(TRIES.load(SeqCst), 1);
}

/// Asks, and is slow.
#[tool]
async fn ask_slowly(answer: Resumed<String>) -> Result<String, ToolError> {
    if answer.0.is_none() {
        return Err(ToolError::suspend("?"));
    }
    for _ in 0..500 {
        tokio::task::yield_now().await;
    }
    Ok("slow".into())
}
#[agent(model = "openai://m", preamble = "P.", output = Report, agents = [researcher], tools = [ask_slowly], delegation(join = [single, detached]))]
fn slow(question: &Question) -> String {
    question.text.clone()
}
#[flow(named)]
fn slowly(question: Question) -> Report {
    flow! { slow }
}

#[tokio::test]
async fn observers_learn_once_that_a_wait_has_ended_while_another_call_was_at_work() {
    let script = ScriptedModel::new()
        .call("slow", "call_agent", in_background(&["One."]))
        .calls("slow", [("ask_slowly", json!({})), ("wait_task", wait(50))])
        .reply("researcher", text("first"))
        .call("slow", "submit", text("Done."));
    let model = Recorder::new(script);
    let mut run = slowly::start(question())
        .unwrap()
        .with_factory(model.factory())
        .with_clock(clock())
        .with_concurrency(8);
    let mut events = run.events();
    while !matches!(run.next(ctx()).await.unwrap(), RunOut::Suspend { .. }) {}
    // The task ends while the tool is at work.
    assert!(
        Box::pin(run.resume(ctx(), ("slow::ask_slowly", json!("Yes."))))
            .as_mut()
            .now_or_never()
            .is_none()
    );
    let out = rest(&mut run).await;
    let mut ended = Vec::new();
    while let Some(event) = events.next().now_or_never().flatten() {
        let json = serde_json::to_value(&event).unwrap();
        if event.kind.name() == "agent:tool:complete" && json["node"] == "slow" {
            ended.push(json["event"]["toolName"].clone());
        }
    }
    println!("{ended:?}");
    assert_eq!(
        (
            out.as_str(),
            ended.iter().filter(|it| **it == "wait_task").count()
        ),
        ("done: Report { text: \"Done.\" }", 1)
    );
}

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Draft {
    text: String,
}
#[agent(model = "openai://m", preamble = "P.", output = Draft, agents = [researcher], turns(max = 5, idle = "1h"), max_visits = 9, delegation(join = [single, detached]))]
fn drafter(question: &Question) -> String {
    question.text.clone()
}
#[node]
fn look(draft: Draft) -> Either<Question, Report> {
    match &*draft.text {
        "again" => Either::Left(Question {
            text: "again".into(),
        }),
        text => Either::Right(Report {
            text: text.to_owned(),
        }),
    }
}
#[flow(named)]
fn drafting(question: Question) -> Report {
    flow! { drafter -> look -> either(drafter, done) }
}
#[tokio::test]
async fn a_visit_does_not_hear_of_the_waits_of_the_one_before() {
    let script = ScriptedModel::new()
        .call("drafter", "call_agent", in_background(&["One."]))
        .call("drafter", "wait_task", wait(5))
        .call("researcher", "ask", json!({}))
        .call("drafter", "submit", text("again"))
        .call("drafter", "submit", text("second"))
        .reply("researcher", text("first"));
    let (clock, model) = (clock(), Recorder::new(script));
    let mut run = drafting::start(question())
        .unwrap()
        .with_factory(model.factory())
        .with_clock(clock.clone());
    println!("{}", rest(&mut run).await);
    clock.advance(Duration::from_secs(5));
    println!("{}", rest(&mut run).await);
    clock.advance(Duration::from_secs(3600));
    println!("{}", rest(&mut run).await);
    run.resume(ctx(), ("researcher::ask[1]", json!("Yes.")))
        .await
        .unwrap();
    assert_eq!(rest(&mut run).await, "Message until Some(8205)");
}
