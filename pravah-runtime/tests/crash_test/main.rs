//! Tests of crash tests: they pass where a flow is correct, and find planted mistakes.

mod mistakes;

use std::{
    sync::{Arc, atomic::AtomicU32},
    time::Duration,
};

use pravah_runtime::{
    invocation::{AgentRegistry, LoopbackRunner},
    prelude::*,
    testing::{CrashTest, CrashTestError, Effects},
};
use serde_json::{Value, json};

/// Stands for a service outside.
struct Service {
    effects: Effects,
    calls: AtomicU32,
}

impl Service {
    fn new(effects: &Effects) -> Self {
        Self {
            effects: effects.clone(),
            calls: AtomicU32::new(0),
        }
    }
}

fn context(effects: &Effects) -> Context {
    Context::default().with_dep(Service::new(effects))
}

#[state]
#[derive(Clone)]
struct Order {
    cents: u32,
}
#[state]
struct Paid {
    cents: u32,
}
#[state]
struct Shipped {
    parcels: u32,
}
#[state]
struct Closed {
    text: String,
}

#[node]
async fn charge(order: &Order, service: Dep<Service>, step: Step) -> Paid {
    service.effects.record(step.key(), order.cents);
    tokio::task::yield_now().await;
    Paid { cents: order.cents }
}

#[node]
async fn ship(_order: &Order, service: Dep<Service>, step: Step) -> Shipped {
    tokio::time::sleep(Duration::from_secs(60)).await;
    service.effects.record(step.key(), "a parcel");
    Shipped { parcels: 1 }
}

#[gate(prompt = "Close it?", timeout = "1h")]
fn confirm(paid: Paid, shipped: Shipped, answer: String) -> Closed {
    let (cents, parcels) = (paid.cents, shipped.parcels);
    Closed {
        text: format!("{cents} cents, {parcels} parcel, {answer}"),
    }
}

#[flow(named)]
fn buying(order: Order) -> Closed {
    flow! { fork(charge, ship) -> join(confirm) }
}

fn order() -> Order {
    Order { cents: 250 }
}

#[tokio::test(start_paused = true)]
async fn a_flow_whose_effects_have_keys_ends_the_same_whatever_the_fault() {
    for bodies in [1, 8] {
        let test = CrashTest::<buying>::new(order)
            .with_context(context)
            .with_setup(move |run| run.with_concurrency(bodies))
            .answering(|question| (question.tool_id == "confirm").then(|| json!("yes")));
        let report = test.check().await.unwrap();
        assert_eq!(report.output, json!({ "text": "250 cents, 1 parcel, yes" }));
        assert_eq!(report.steps, 4);
        assert!(report.faulted_runs > 3 * report.steps, "{report:?}");
    }
}

#[state]
struct Question {
    text: String,
}
#[state]
struct Report {
    text: String,
}

/// Sends a mail.
#[tool]
async fn send_mail(to: String, service: Dep<Service>, step: Step) -> Result<String, ToolError> {
    let key = step.call_id().unwrap_or_default().to_owned();
    service.effects.record(key, to.as_str());
    Ok("sent".to_owned())
}

/// You look things up.
#[agent(model = "openai://m", output = Report, tools = [send_mail])]
fn researcher(question: &Question) -> String {
    question.text.clone()
}

/// You write.
#[agent(
    model = "openai://m",
    output = Report,
    agents = [researcher],
    delegation(join = [single, detached], on_done = wait),
)]
fn writer(question: &Question) -> String {
    question.text.clone()
}

#[flow]
fn writing(question: Question) -> Report {
    flow! { writer }
}

#[tokio::test]
async fn agents_that_call_others_come_to_the_same_end() {
    let told = json!({ "agent": "researcher", "prompt": "Look." });
    let detached = json!({ "agent": "researcher", "prompt": "Look.", "join": "detached" });
    let mail = json!({ "to": "ana@example.com" });
    let script = ScriptedModel::new()
        .calls("writer", [("call_agent", told), ("call_agent", detached)])
        .call("researcher[0]", "send_mail", mail.clone())
        .call("researcher[0]", "submit", json!({ "text": "one" }))
        .call("researcher[1]", "send_mail", mail)
        .call("researcher[1]", "submit", json!({ "text": "two" }))
        .call("writer", "submit", json!({ "text": "Done." }));
    let models = ClientFactory::new().with_scripted(script);
    for bodies in [1, 8] {
        let models = models.clone();
        let test = CrashTest::<Question>::new(|| Question { text: "?".into() })
            .with_context(context)
            .with_setup(move |run| run.with_factory(models.clone()).with_concurrency(bodies));
        let report = test.check().await.unwrap();
        assert_eq!(report.output, json!({ "text": "Done." }));
    }
}

/// Looks things up elsewhere.
#[agent(runner = "loopback", output = Report)]
fn remote_researcher(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn remote_writing(question: Question) -> Report {
    flow! { remote_researcher }
}

#[tokio::test]
async fn later_runs_find_the_task_of_the_first_one_and_take_fewer_steps() {
    /// You look things up.
    #[agent(model = "openai://m", output = Report)]
    fn remote_researcher(question: &Question) -> String {
        question.text.clone()
    }

    let script = ScriptedModel::new().reply("remote_researcher", json!({ "text": "Done." }));
    let agents = AgentRegistry::new().with_agent::<remote_researcher>();
    let runner = LoopbackRunner::new(agents).with_context(Context::default().with_dep(script));
    let runner = Arc::new(runner);
    let test = CrashTest::<remote_writing>::new(|| Question { text: "?".into() })
        .with_setup(move |run| run.with_runner(Arc::clone(&runner)));
    let report = test.check().await.unwrap();
    assert_eq!(report.output, json!({ "text": "Done." }));
}

#[tokio::test]
async fn a_question_that_nobody_answers_is_an_error_unless_its_time_ends() {
    let models = || CrashTest::<asking>::new(|| Begin { n: 1 });
    let error = models().check().await.unwrap_err();
    assert!(matches!(error, CrashTestError::NoAnswer { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "nobody answers the question `ask`: give an answer with `answering`"
    );
    let late = CrashTest::<asking_in_time>::new(|| Begin { n: 1 });
    let report = late.check().await.unwrap();
    assert_eq!(report.output, json!({ "text": "too late" }));
}

#[state]
struct Begin {
    n: u32,
}
#[state]
struct End {
    text: String,
}

#[gate(prompt = "?")]
fn ask(begin: Begin, answer: String) -> End {
    End {
        text: format!("{} {answer}", begin.n),
    }
}

#[gate(prompt = "?", timeout = "1h")]
fn ask_in_time(begin: Begin, answer: String) -> End {
    End {
        text: format!("{} {answer}", begin.n),
    }
}

#[node]
fn give_up(_failure: Failure<Begin>) -> End {
    End {
        text: "too late".into(),
    }
}

#[flow(named)]
fn asking(begin: Begin) -> End {
    flow! { ask }
}

#[flow(named)]
fn asking_in_time(begin: Begin) -> End {
    flow! { ask_in_time; catch(ask_in_time) -> give_up }
}

#[tokio::test]
async fn a_flow_that_fails_by_itself_is_an_error_with_its_source() {
    #[node]
    fn fail(_begin: Begin) -> Result<End, std::io::Error> {
        Err(std::io::Error::other("out of order"))
    }

    #[flow(named)]
    fn failing(begin: Begin) -> End {
        flow! { fail }
    }

    let error = CrashTest::<failing>::new(|| Begin { n: 1 })
        .check()
        .await
        .unwrap_err();
    assert!(matches!(error, CrashTestError::Run(_)));
    // What `unwrap` shows, and a test that returns the error, also in a box.
    let expected = "the flow fails without any fault: node `fail` failed: out of order";
    assert_eq!(format!("{error:?}"), expected);
    let boxed: Box<dyn std::error::Error> = error.into();
    assert_eq!(format!("{boxed:?}"), expected);
}

#[tokio::test]
async fn a_flow_that_never_ends_is_an_error() {
    #[state]
    struct Round {
        n: u64,
    }

    #[node]
    fn again(round: Round) -> Either<Round, End> {
        Either::Left(Round { n: round.n + 1 })
    }

    #[flow(named)]
    fn circling(round: Round) -> End {
        flow! { again -> either(again, done) }
    }

    let test = CrashTest::<circling>::new(|| Round { n: 0 }).with_max_steps(20);
    let error = test.check().await.unwrap_err();
    assert!(
        matches!(error, CrashTestError::NoEnd { steps: 20, .. }),
        "{error}"
    );
}

#[test]
fn effects_know_the_first_of_each_key() {
    let effects = Effects::default();
    assert!(effects.record("a", 1));
    assert!(!effects.record("a", 1));
    assert!(effects.record("b", Value::Null));
}

#[state]
struct Asked {
    n: u32,
}
#[state]
struct Tried {
    n: u32,
}

#[node(retry(max_attempts = 2, backoff = "2h"))]
async fn try_twice(begin: &Begin, step: Step) -> Result<Tried, String> {
    match step.attempt() {
        0 | 1 => Err("later".into()),
        _ => Ok(Tried { n: begin.n }),
    }
}

#[gate(prompt = "?", timeout = "1h")]
fn ask_beside(begin: Begin, answer: u32) -> Asked {
    Asked {
        n: begin.n + answer,
    }
}

#[node]
fn put_together(tried: Tried, asked: Asked) -> End {
    End {
        text: format!("{} {}", tried.n, asked.n),
    }
}

#[flow(named)]
fn waiting_beside(begin: Begin) -> End {
    flow! { fork(try_twice, ask_beside) -> join(put_together) }
}

#[tokio::test]
async fn a_question_is_answered_at_once_also_while_the_run_waits_for_a_time() {
    let test = CrashTest::<waiting_beside>::new(|| Begin { n: 1 });
    let report = test.answering(|_| Some(json!(2))).check().await.unwrap();
    assert_eq!(report.output, json!({ "text": "1 3" }));
}

#[tokio::test]
async fn a_clock_that_is_set_with_the_run_is_not_that_of_the_test() {
    let test = CrashTest::<asking_in_time>::new(|| Begin { n: 1 });
    let test = test.with_setup(|run| run.with_clock(pravah_runtime::SystemClock::default()));
    let report = test.check().await.unwrap();
    assert_eq!(report.output, json!({ "text": "too late" }));
}
