//! What a model may read of every error there is.

use std::{io, time::Duration};

use serde_json::json;

use super::{ForModel, ToModel};
use crate::{
    FlowError, FlowSnapshot, Limit, ModelError, ModelErrorKind, ToolError,
    error::{BoxError, DepsError},
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
        "finished": false,
        "states": {},
        "ready": [],
    });
    serde_json::from_str(&json.to_string()).unwrap()
}

fn model_errors() -> Vec<ModelError> {
    [
        ModelErrorKind::Config,
        ModelErrorKind::Auth,
        ModelErrorKind::RateLimited,
        ModelErrorKind::Quota,
        ModelErrorKind::Upstream,
        ModelErrorKind::Transport,
        ModelErrorKind::Malformed,
    ]
    .map(|kind| ModelError::new(kind, SECRET).with_status(503))
    .into()
}

fn flow_errors() -> Vec<FlowError> {
    let text = || SECRET.to_owned();
    let boxed = || BoxError::from(SECRET);
    let node = text;
    let mut errors = vec![
        FlowError::NotFound(text()),
        FlowError::BuildError(text()),
        FlowError::Invalid(vec![text()]),
        FlowError::SerializeError(text()),
        FlowError::DeserializeError(text()),
        FlowError::SnapLoadError(text()),
        FlowError::SnapStoreError(text()),
        FlowError::AgentError(text()),
        FlowError::Deadlock(text()),
        FlowError::ResumeRequired(text()),
        FlowError::UnexpectedResumption(text()),
        FlowError::ResumeMismatchError(text()),
        FlowError::ResumePayload {
            id: text(),
            source: json_error(),
        },
        FlowError::State {
            state: text(),
            source: json_error(),
        },
        FlowError::Finished,
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
            source: ToolError::Http(text()),
        },
        FlowError::Suspended {
            tool_id: text(),
            value: json!(SECRET),
            snapshot: snapshot().into(),
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
        FlowError::Other(boxed()),
    ];
    let limits = [
        Limit::Turns(7),
        Limit::Tokens(7),
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

// S3.7
#[test]
fn a_request_that_was_refused_is_told_in_the_words_of_the_refusal() {
    let error = ModelError::new(ModelErrorKind::InvalidRequest, "the text is too long");
    let error = error.with_status(400);
    assert_eq!(error.to_model(), "the text is too long");
    assert_eq!(error.to_string(), "the text is too long (status 400)");
}

// S3.7
#[test]
fn errors_of_one_kind_have_one_phrase() {
    let phrase = |kind| ModelError::new(kind, SECRET).to_model();
    let upstream = phrase(ModelErrorKind::Upstream);
    assert_eq!(phrase(ModelErrorKind::Transport), upstream);
    assert_eq!(phrase(ModelErrorKind::Malformed), upstream);
    assert_ne!(phrase(ModelErrorKind::Auth), upstream);
    assert_ne!(phrase(ModelErrorKind::Config), upstream);
}

// S3.8
#[test]
fn a_hint_is_told_word_for_word_behind_the_error() {
    let error = ToolError::Http(SECRET.to_owned()).with_hint("Ask for fewer rows.");
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
    assert!(std::collections::HashSet::from([text]).contains("a text"));
}

#[test]
fn what_is_missing_is_not_named() {
    leaks_nothing(&DepsError::missing::<u32>().to_model());
    leaks_nothing(&io::Error::other(SECRET).to_model());
}
