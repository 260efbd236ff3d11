//! Budgets count every answer that was paid for, whatever it was good for and whoever takes its failure.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use pravah_runtime::{
    Budget, Limit, ModelClient, ModelError, ModelErrorKind, ModelFuture, ModelRequest,
    ModelResponse, StopReason, Usage, prelude::*,
};

#[state]
#[derive(Debug)]
struct Question {}

/// Its values are read by code that panics.
#[state(manual(Deserialize))]
#[derive(Debug)]
struct Trap {}

impl<'de> serde::Deserialize<'de> for Trap {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("it snaps");
    }
}

#[state]
#[derive(Debug, PartialEq)]
struct Answer {
    text: String,
}

#[agent(model = "openai://m", preamble = "You answer.", output = Answer, max_repairs = 0)]
fn reply(_: &Question) -> String {
    String::new()
}

#[flow(named)]
fn replying(question: Question) -> Answer {
    flow! { reply }
}

#[agent(model = "openai://m", preamble = "You set traps.", output = Trap)]
fn set(_: &Question) -> String {
    String::new()
}

#[flow(named)]
fn setting(question: Question) -> Trap {
    flow! { set }
}

type Respond = fn() -> Result<ModelResponse, ModelError>;

/// A model that answers always alike, and counts how often it is asked.
#[derive(Clone)]
struct Meter {
    respond: Respond,
    asked: Arc<AtomicU64>,
}

impl Meter {
    fn new(respond: Respond) -> Self {
        Self {
            respond,
            asked: Arc::default(),
        }
    }

    fn factory(&self) -> ClientFactory {
        ClientFactory::new().with_client(Arc::new(self.clone()))
    }

    fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }
}

/// The same run in another process, without a model.
fn restored<F: pravah_runtime::FlowDef>(run: &FlowRuntime<F>) -> FlowRuntime<F> {
    let json = serde_json::to_string(&run.snapshot()).unwrap();
    FlowRuntime::from_snapshot(serde_json::from_str(&json).unwrap()).unwrap()
}

impl ModelClient for Meter {
    fn complete<'a>(&'a self, _: &'a ModelRequest) -> ModelFuture<'a> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { (self.respond)() })
    }
}

fn cost() -> Usage {
    Usage::new(10, 5)
}

fn said(text: &str, stop: StopReason) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::default()
        .with_text(text)
        .with_stop(stop)
        .with_usage(cost()))
}

fn broke_off(kind: ModelErrorKind) -> Result<ModelResponse, ModelError> {
    Err(ModelError::new(kind, "the answer broke off").with_usage(cost()))
}

/// Asks eight times, whatever comes; answers how often the model was asked.
async fn ask_eight_times<F>(mut run: FlowRuntime<F>, respond: Respond) -> u64
where
    F: pravah_runtime::FlowDef,
{
    let meter = Meter::new(respond);
    run = run
        .with_factory(meter.factory())
        .with_budget(Budget::new().calls(2));
    let mut last = None;
    for _ in 0..8 {
        last = run.run(Context::default()).await.err();
    }
    let limit = match last {
        Some(FlowError::Limit { limit, .. }) => limit,
        other => panic!("{other:?}"),
    };
    assert_eq!(limit, Limit::RunCalls(2));
    assert_eq!(run.model_calls(), 2);
    assert_eq!(run.usage().total(), 30);
    meter.asked()
}

#[tokio::test(start_paused = true)]
async fn answers_of_no_use_count_though_nobody_catches_their_failure() {
    let respond: [Respond; 5] = [
        || said("no", StopReason::Refusal),
        || said("", StopReason::ContentFilter),
        || said("", StopReason::ContextWindow),
        || said("not JSON", StopReason::End),
        || said("{\"text\": ", StopReason::MaxTokens),
    ];
    for respond in respond {
        let run = replying::start(Question {}).unwrap();
        assert_eq!(ask_eight_times(run, respond).await, 2);
    }
}

#[tokio::test(start_paused = true)]
async fn answers_that_broke_off_count_whether_they_are_waited_for_or_not() {
    let respond: [Respond; 2] = [
        || broke_off(ModelErrorKind::Transport),
        || broke_off(ModelErrorKind::Malformed),
    ];
    for respond in respond {
        let run = replying::start(Question {}).unwrap();
        assert_eq!(ask_eight_times(run, respond).await, 2);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_whose_type_panics_as_it_is_read_counts() {
    let run = setting::start(Question {}).unwrap();
    let respond: Respond = || said("{}", StopReason::End);
    assert_eq!(ask_eight_times(run, respond).await, 2);
}

#[tokio::test(start_paused = true)]
async fn what_was_paid_for_survives_a_restart() {
    let meter = Meter::new(|| said("no", StopReason::Refusal));
    let mut run = replying::start(Question {})
        .unwrap()
        .with_factory(meter.factory())
        .with_budget(Budget::new().calls(2));
    for _ in 0..4 {
        run.next(Context::default()).await.unwrap_err();
        run = restored(&run).with_factory(meter.factory());
    }
    assert_eq!(meter.asked(), 2);
    assert_eq!(run.model_calls(), 2);
}

#[tokio::test]
async fn a_request_that_cost_nothing_is_not_counted() {
    let meter = Meter::new(|| Err(ModelError::new(ModelErrorKind::InvalidRequest, "no")));
    let mut run = replying::start(Question {})
        .unwrap()
        .with_factory(meter.factory());
    run.next(Context::default()).await.unwrap_err();
    assert_eq!(run.model_calls(), 0);
}

#[agent(model = "openai://m", preamble = "", output = Answer, max_retries = 0, visit_tokens = 40)]
fn thrifty(_: &Question) -> String {
    String::new()
}

#[flow(named)]
fn once(question: Question) -> Answer {
    flow! { thrifty }
}

#[state]
struct Questions {
    count: u32,
}
#[state]
struct Answers {}

#[node]
fn split(questions: Questions) -> Each<Question> {
    (0..questions.count).map(|_| Question {}).collect()
}

#[node]
fn gather(_: &Each<Answer>) -> Answers {
    Answers {}
}

#[flow(named)]
fn each_once(questions: Questions) -> Answers {
    flow! { split -> each(thrifty) -> gather }
}

/// Asks eight times in a run that is restored after each; answers how often the model was asked, and
/// how the last attempt failed.
async fn ask_again_and_again<F>(mut run: FlowRuntime<F>, respond: Respond) -> (u64, FlowError)
where
    F: pravah_runtime::FlowDef,
{
    let meter = Meter::new(respond);
    let mut last = None;
    for _ in 0..8 {
        run = run.with_factory(meter.factory());
        last = run.run(Context::default()).await.err();
        run = restored(&run);
    }
    (meter.asked(), last.unwrap())
}

// 15 tokens each: the third goes beyond 40, and there is no fourth.
const OF_NO_USE: [Respond; 4] = [
    || broke_off(ModelErrorKind::Transport),
    || broke_off(ModelErrorKind::TimedOut),
    || said("no", StopReason::Refusal),
    || said("not JSON", StopReason::ContentFilter),
];

fn is_the_limit(error: &FlowError) -> bool {
    matches!(error, FlowError::Limit { limit, .. } if *limit == Limit::Tokens(40))
}

#[tokio::test(start_paused = true)]
async fn a_visit_counts_the_tokens_of_attempts_that_failed() {
    for respond in OF_NO_USE {
        let run = once::start(Question {}).unwrap();
        let (asked, error) = ask_again_and_again(run, respond).await;
        assert!(is_the_limit(&error), "{error}");
        assert_eq!(asked, 3);
    }
}

#[tokio::test(start_paused = true)]
async fn a_visit_in_a_list_counts_the_tokens_of_failed_attempts() {
    for respond in OF_NO_USE {
        let run = each_once::start(Questions { count: 2 }).unwrap();
        let (asked, error) = ask_again_and_again(run, respond).await;
        assert!(is_the_limit(&error), "{error}");
        assert_eq!(asked, 3);
    }
}
