//! What a model may read of every error there is.

use std::{collections::HashSet, io, time::Duration};

use serde_json::json;

use super::{ForModel, ToModel};
use crate::{
    FlowError, FlowSnapshot, Limit, ModelError, ModelErrorKind, ToolError,
    error::{AgentFailure, AgentFailureKind, BoxError, DepsError, Stuck},
    invocation::{RunnerError, RunnerErrorKind},
};

const SECRET: &str = "sesame";

fn json_error() -> serde_json::Error {
    serde_json::from_str::<u32>("\"sesame\"").unwrap_err()
}

fn snapshot() -> FlowSnapshot {
    let json = json!({
        "version": 1,
        "flow": SECRET,
        "run_id": SECRET,
        "fingerprint": SECRET,
        "steps": 7,
        "states": {},
    });
    serde_json::from_str(&json.to_string()).unwrap()
}

const MODEL_ERROR_KINDS: [ModelErrorKind; 10] = [
    ModelErrorKind::Config,
    ModelErrorKind::InvalidInput,
    ModelErrorKind::InvalidRequest,
    ModelErrorKind::Auth,
    ModelErrorKind::RateLimited,
    ModelErrorKind::Quota,
    ModelErrorKind::Upstream,
    ModelErrorKind::Transport,
    ModelErrorKind::TimedOut,
    ModelErrorKind::Malformed,
];

/// All but the one whose message is told.
fn model_errors() -> Vec<ModelError> {
    MODEL_ERROR_KINDS
        .into_iter()
        .filter(|kind| *kind != ModelErrorKind::InvalidInput)
        .map(|kind| ModelError::new(kind, SECRET).with_status(503))
        .collect()
}

// Without a wildcard, so that a new kind does not compile here before it has its phrase.
fn phrase_of_model_error(kind: ModelErrorKind) -> &'static str {
    match kind {
        ModelErrorKind::Config => "tool misconfigured",
        ModelErrorKind::InvalidInput => "invalid input: sesame",
        ModelErrorKind::InvalidRequest => "upstream model error",
        ModelErrorKind::Auth => "authentication failed",
        ModelErrorKind::RateLimited => "request quota reached",
        ModelErrorKind::Quota => "request quota reached",
        ModelErrorKind::Upstream => "upstream model error",
        ModelErrorKind::Transport => "upstream model error",
        ModelErrorKind::TimedOut => "timed out",
        ModelErrorKind::Malformed => "upstream model error",
    }
}

const RUNNER_ERROR_KINDS: [RunnerErrorKind; 11] = [
    RunnerErrorKind::InvalidOutput,
    RunnerErrorKind::UnknownRunner,
    RunnerErrorKind::InvalidConfig,
    RunnerErrorKind::UnknownAgent,
    RunnerErrorKind::Refused,
    RunnerErrorKind::InvalidAnswer,
    RunnerErrorKind::UnknownTask,
    RunnerErrorKind::Unavailable,
    RunnerErrorKind::Malformed,
    RunnerErrorKind::TaskFailed,
    RunnerErrorKind::TaskCancelled,
];

fn phrase_of_runner_error(kind: RunnerErrorKind) -> &'static str {
    match kind {
        RunnerErrorKind::UnknownRunner => "tool misconfigured",
        RunnerErrorKind::InvalidConfig => "tool misconfigured",
        RunnerErrorKind::UnknownAgent => "tool misconfigured",
        RunnerErrorKind::Refused => "the tool failed",
        RunnerErrorKind::InvalidAnswer => "the tool failed",
        RunnerErrorKind::UnknownTask => "the tool failed",
        RunnerErrorKind::Unavailable => "upstream model error",
        RunnerErrorKind::InvalidOutput => "upstream model error",
        RunnerErrorKind::Malformed => "upstream model error",
        RunnerErrorKind::TaskFailed => "the tool failed",
        RunnerErrorKind::TaskCancelled => "cancelled",
    }
}

fn phrase_of_limit(limit: Limit) -> &'static str {
    match limit {
        Limit::Turns(_) => "request quota reached",
        Limit::Tokens(_) => "request quota reached",
        Limit::ContextWindow => "request quota reached",
        Limit::Iterations(_) => "request quota reached",
        Limit::RunCalls(_) => "request quota reached",
        Limit::RunTokens(_) => "request quota reached",
        Limit::Inference(_) => "timed out",
    }
}

fn phrase_of_flow_error(error: &FlowError) -> &'static str {
    match error {
        FlowError::NotFound(_) | FlowError::NoAgentRun(_) => "tool misconfigured",
        FlowError::BuildError(_) => "tool misconfigured",
        FlowError::Invalid(_) => "tool misconfigured",
        FlowError::UnknownAgents { .. } => "tool misconfigured",
        FlowError::SerializeError(_) => "output could not be serialised",
        FlowError::DeserializeError(_) => "output could not be serialised",
        FlowError::SnapLoadError(_) => "tool misconfigured",
        FlowError::SnapStoreError(_) => "tool misconfigured",
        FlowError::AgentError(_) => "upstream model error",
        FlowError::Deadlock(_) => "tool misconfigured",
        FlowError::ResumeRequired(_) => "awaiting human review",
        FlowError::UnexpectedResumption(_) => "tool misconfigured",
        FlowError::ResumeMismatchError(_) => "tool misconfigured",
        FlowError::AlreadyAnswered { .. } => "tool misconfigured",
        FlowError::ResumePayload { .. } => "output could not be serialised",
        FlowError::State { .. } => "output could not be serialised",
        FlowError::Finished => "tool misconfigured",
        FlowError::Cancelled { .. } => "cancelled",
        FlowError::TimedOut { .. } => "timed out",
        FlowError::Failed { .. } => "the tool failed",
        FlowError::Suspended { .. } => "awaiting human review",
        FlowError::Node { .. } => "the tool failed",
        FlowError::NodeData { .. } => "output could not be serialised",
        FlowError::Panicked { .. } => "the tool failed",
        FlowError::Model { source, .. } => phrase_of_model_error(source.kind()),
        FlowError::Runner { source, .. } => phrase_of_runner_error(source.kind()),
        FlowError::Tool { .. } => "the upstream service failed",
        FlowError::Limit { limit, .. } => phrase_of_limit(*limit),
        FlowError::Schema { .. } => "upstream model error",
        FlowError::Suppressed { .. } => "upstream model error",
        FlowError::Rejected { .. } => "cancelled",
        FlowError::MaxVisits { .. } => "request quota reached",
        FlowError::MaxSteps { .. } => "request quota reached",
        FlowError::TooDeep { .. } => "tool misconfigured",
        FlowError::InboxFull { .. } => "request quota reached",
        FlowError::RunDropped => "cancelled",
        FlowError::Channel { .. } => "tool misconfigured",
        FlowError::Other(_) => "the tool failed",
    }
}

pub(crate) fn flow_errors() -> Vec<FlowError> {
    let text = || SECRET.to_owned();
    let boxed = || BoxError::from(SECRET);
    let node = text;
    let mut errors = vec![
        FlowError::NotFound(text().into()),
        FlowError::NoAgentRun(text().into()),
        FlowError::BuildError(text().into()),
        FlowError::Invalid(vec![text()]),
        FlowError::UnknownAgents {
            unknown: vec![text()],
            agents: vec![text()],
        },
        FlowError::SerializeError(text().into()),
        FlowError::DeserializeError(text().into()),
        FlowError::SnapLoadError(text().into()),
        FlowError::SnapStoreError(text().into()),
        FlowError::AgentError(AgentFailure::new(&text(), AgentFailureKind::Refused)),
        FlowError::Deadlock(Stuck::new(text(), [text()])),
        FlowError::ResumeRequired(text()),
        FlowError::UnexpectedResumption(text()),
        FlowError::ResumeMismatchError(text().into()),
        FlowError::AlreadyAnswered {
            id: text(),
            is_kept: true,
        },
        FlowError::ResumePayload {
            id: text(),
            source: json_error(),
        },
        FlowError::State {
            state: text(),
            source: json_error(),
        },
        FlowError::NodeData {
            node: text(),
            source: crate::error::NodeDataError::Output(text()),
        },
        FlowError::Finished,
        FlowError::Cancelled { reason: text() },
        FlowError::TimedOut {
            node: node(),
            limit: std::time::Duration::from_secs(1),
        },
        FlowError::Failed {
            node: node(),
            kind: crate::FailureKind::Error,
            message: text(),
            attempts: 1,
        },
        FlowError::TooDeep { limit: 1 },
        FlowError::Node {
            node: node(),
            source: boxed(),
        },
        FlowError::Panicked {
            node: node(),
            message: text(),
        },
        FlowError::Tool {
            node: node(),
            tool: text(),
            source: ToolError::Http(text().into()),
        },
        FlowError::Suspended {
            tool_id: text(),
            value: json!(SECRET),
            snapshot: snapshot().into(),
        },
        FlowError::Schema {
            node: node(),
            repairs: 2,
            source: crate::ContractError::SchemaViolation { reason: text() },
        },
        FlowError::Suppressed { node: node() },
        FlowError::Rejected {
            node: node(),
            reason: Some(text()),
        },
        FlowError::MaxVisits {
            node: node(),
            cycle: vec![text()],
            limit: 7,
        },
        FlowError::MaxSteps { limit: 7 },
        FlowError::TooDeep { limit: 7 },
        FlowError::InboxFull { limit: 7 },
        FlowError::RunDropped,
        FlowError::Channel {
            channel: node(),
            source: boxed(),
        },
        FlowError::Other(boxed()),
    ];
    let limits = [
        Limit::Turns(7),
        Limit::Tokens(7),
        Limit::ContextWindow,
        Limit::Iterations(7),
        Limit::RunCalls(7),
        Limit::RunTokens(7),
        Limit::Inference(Duration::from_secs(7)),
    ];
    errors.extend(limits.map(|limit| FlowError::Limit {
        node: node(),
        limit,
    }));
    errors.extend(model_errors().into_iter().map(|source| FlowError::Model {
        node: node(),
        source,
    }));
    errors.extend(RUNNER_ERROR_KINDS.map(|kind| FlowError::Runner {
        node: node(),
        agent_id: text(),
        runner: text(),
        source: RunnerError::new(kind, SECRET),
    }));
    errors
}

fn leaks_nothing(text: &str) {
    assert!(!text.contains(SECRET), "{text}");
    let is_code = |c: char| c.is_ascii_digit() || "/:_`".contains(c);
    assert!(!text.contains(is_code), "{text}");
    assert!(!text.is_empty() && text.len() < 60, "{text}");
}

// S3.4, S3.7, S3.18
#[test]
fn no_error_of_a_model_or_a_flow_leaks_anything() {
    for error in model_errors() {
        leaks_nothing(&error.to_model());
    }
    for error in flow_errors() {
        leaks_nothing(&error.to_model());
        leaks_nothing(&ToolError::other(error).to_model());
    }
}

// S3.22
#[test]
fn every_kind_of_a_models_error_has_its_phrase() {
    for kind in MODEL_ERROR_KINDS {
        let error = ModelError::new(kind, SECRET).with_status(400);
        assert_eq!(error.to_model(), phrase_of_model_error(kind), "{kind:?}");
        let boxed = ToolError::other(error);
        assert_eq!(boxed.to_model(), phrase_of_model_error(kind), "{kind:?}");
    }
}

// S3.22
#[test]
fn every_kind_of_a_flows_error_has_its_phrase() {
    let errors = flow_errors();
    let kinds: HashSet<_> = errors.iter().map(std::mem::discriminant).collect();
    assert_eq!(kinds.len(), 39, "a kind is listed twice or not at all");
    for error in errors {
        assert_eq!(error.to_model(), phrase_of_flow_error(&error), "{error:?}");
    }
}

// S3.22
#[test]
fn what_a_vendor_says_of_a_request_reaches_no_model() {
    let said = "model `gpt-9` does not exist for org-17";
    let error = ModelError::new(ModelErrorKind::InvalidRequest, said).with_status(400);
    assert_eq!(error.to_model(), "upstream model error");
    assert_eq!(error.to_string(), format!("{said} (status 400)"));
}

// S3.7, S3.22
#[test]
fn what_the_caller_put_in_wrongly_is_told_to_the_caller() {
    let error = ModelError::new(ModelErrorKind::InvalidInput, "the text is too long");
    assert_eq!(error.to_model(), "invalid input: the text is too long");
    assert_eq!(error.to_string(), "the text is too long");
}

// S3.22
#[test]
fn errors_of_the_engines_own_libraries_have_the_phrase_of_their_kind() {
    let told = |error: BoxError| ToolError::other(error).to_model();
    assert_eq!(told(json_error().into()), "output could not be serialised");
    assert_eq!(
        ToolError::Serialize(json_error()).to_model(),
        "output could not be serialised"
    );
    assert_eq!(
        ToolError::Deserialize(json_error()).to_model(),
        "output could not be serialised"
    );
    let (aborted, handle) = futures_util::future::abortable(std::future::pending::<()>());
    handle.abort();
    let aborted = futures_util::FutureExt::now_or_never(aborted).unwrap();
    assert_eq!(told(aborted.unwrap_err().into()), "cancelled");
    let suspended = ToolError::suspend(SECRET);
    assert_eq!(suspended.to_model(), "awaiting human review");
    let fatal = ToolError::fatal(ModelError::new(ModelErrorKind::Auth, SECRET));
    assert_eq!(fatal.to_model(), "authentication failed");
    let missing = DepsError::missing::<u32>(Vec::new());
    assert_eq!(missing.to_model(), "tool misconfigured");
}

// S3.22
#[tokio::test(start_paused = true)]
async fn a_time_that_is_up_has_its_phrase() {
    let late = tokio::time::timeout(Duration::from_secs(1), std::future::pending::<()>()).await;
    assert_eq!(ToolError::other(late.unwrap_err()).to_model(), "timed out");
    let late = io::Error::from(io::ErrorKind::TimedOut);
    assert_eq!(late.to_model(), "timed out");
    let stopped = io::Error::from(io::ErrorKind::Interrupted);
    assert_eq!(stopped.to_model(), "cancelled");
}

// S3.8
#[test]
fn a_hint_is_told_word_for_word_behind_the_error() {
    let error = ToolError::Http(SECRET.into()).with_hint("Ask for fewer rows.");
    assert_eq!(
        error.to_model(),
        "the upstream service failed. Ask for fewer rows."
    );
    assert!(error.to_string().contains(SECRET));
}

// S3.2, S3.5
#[test]
fn an_error_may_say_itself_what_is_told_of_it() {
    #[derive(Debug, thiserror::Error)]
    #[error("shelf 3 of {SECRET} is empty")]
    struct OutOfStock;

    impl ForModel for OutOfStock {
        fn for_model(&self) -> std::borrow::Cow<'_, str> {
            "there is none left".into()
        }
    }

    let error = ToolError::told(OutOfStock);
    assert_eq!(error.to_model(), "there is none left");
    assert!(error.to_string().contains(SECRET));
}

// S3.3, S3.6
#[test]
fn a_text_can_be_read_copied_compared_and_written() {
    let text = "a text".to_model();
    assert_eq!(text, String::from("a text").to_model());
    assert_eq!(text.as_ref(), text.to_string());
    assert_eq!(text.clone().into_string(), "a text");
    assert_eq!(serde_json::to_value(&text).unwrap(), json!("a text"));
    assert!(HashSet::from([text]).contains("a text"));
}

#[test]
fn what_is_missing_is_not_named() {
    leaks_nothing(&DepsError::missing::<u32>(Vec::new()).to_model());
    leaks_nothing(&io::Error::other(SECRET).to_model());
}
