//! Every error says its cause, and a printed chain says nothing twice.

use std::{error::Error, fmt, io};

use crate::{
    ContractError, DepsError, ErrorText, FlowError, ModelError, ModelErrorKind, ToolError,
    error::NodeDataError,
    invocation::{RunnerError, RunnerErrorKind},
    model_text::tests::flow_errors,
};

/// An error of a user's own, with one beneath it.
#[derive(Debug)]
struct Full;

#[derive(Debug)]
struct Worn;

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the disk is full")
    }
}

impl fmt::Display for Worn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sector is worn out")
    }
}

impl Error for Full {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&Worn)
    }
}

impl Error for Worn {}

fn text() -> ErrorText {
    ErrorText::new("the run `7`", Full)
}

fn tool_errors() -> Vec<ToolError> {
    let json = || serde_json::from_str::<bool>("\"yes\"").unwrap_err();
    struct Shelf;
    vec![
        ToolError::Io(io::Error::other(Full)),
        ToolError::Io(io::Error::from_raw_os_error(2)),
        ToolError::Serialize(json()),
        ToolError::Deserialize(json()),
        ToolError::Http(text()),
        ToolError::Missing(DepsError::missing::<Shelf>(Vec::new())),
        ToolError::Other(Full.into()),
        ToolError::other(Full).with_hint("free some space"),
        ToolError::fatal(Full),
    ]
}

fn model_errors() -> Vec<ModelError> {
    let new = || ModelError::new(ModelErrorKind::Transport, "the provider is away");
    vec![
        new().with_source(Full),
        new().with_source(Full).with_status(503),
        new().with_source(ErrorText::new("the proxy", Full)),
    ]
}

/// One of each that has a cause.
fn errors() -> Vec<FlowError> {
    let json = || serde_json::from_str::<bool>("\"yes\"").unwrap_err();
    let name = || "plan".to_owned();
    let mut errors = vec![
        FlowError::NotFound(text()),
        FlowError::NoAgentRun(text()),
        FlowError::BuildError(text()),
        FlowError::SerializeError(text()),
        FlowError::DeserializeError(json().into()),
        FlowError::SnapLoadError(text()),
        FlowError::SnapStoreError(text()),
        FlowError::ResumePayload {
            id: name(),
            source: json(),
        },
        FlowError::State {
            state: name(),
            source: json(),
        },
        FlowError::Node {
            node: name(),
            source: Full.into(),
        },
        FlowError::NodeData {
            node: name(),
            source: NodeDataError::Input("`text` is missing".to_owned()),
        },
        FlowError::Schema {
            node: name(),
            repairs: 2,
            source: ContractError::violation("confidence is missing"),
        },
        FlowError::Channel {
            channel: "console".to_owned(),
            source: Full.into(),
        },
        FlowError::Other(Full.into()),
    ];
    errors.extend(tool_errors().into_iter().map(|source| FlowError::Tool {
        node: name(),
        tool: "store".to_owned(),
        source,
    }));
    errors.extend(model_errors().into_iter().map(|source| FlowError::Model {
        node: name(),
        source,
    }));
    let away = RunnerError::new(RunnerErrorKind::Unavailable, "the runner is unreachable");
    errors.push(FlowError::Runner {
        node: name(),
        agent_id: name(),
        runner: name(),
        source: away.with_source(Full),
    });
    errors.extend(tool_errors().into_iter().map(FlowError::other));
    errors
}

/// What an error says, and what each one beneath it says.
fn chain(error: &(dyn Error + 'static)) -> Vec<String> {
    std::iter::successors(Some(error), |error| (*error).source())
        .map(ToString::to_string)
        .collect()
}

/// Whether this variant can have a cause; a new variant has to be put here.
fn has_cause(error: &FlowError) -> bool {
    match error {
        FlowError::NotFound(_)
        | FlowError::NoAgentRun(_)
        | FlowError::BuildError(_)
        | FlowError::SerializeError(_)
        | FlowError::DeserializeError(_)
        | FlowError::SnapLoadError(_)
        | FlowError::SnapStoreError(_)
        | FlowError::ResumePayload { .. }
        | FlowError::State { .. }
        | FlowError::Node { .. }
        | FlowError::NodeData { .. }
        | FlowError::Model { .. }
        | FlowError::Runner { .. }
        | FlowError::Tool { .. }
        | FlowError::Schema { .. }
        | FlowError::Channel { .. }
        | FlowError::Other(_) => true,
        FlowError::Invalid(_)
        | FlowError::AgentError(_)
        | FlowError::Deadlock(_)
        | FlowError::ResumeRequired(_)
        | FlowError::UnexpectedResumption(_)
        | FlowError::ResumeMismatchError(_)
        | FlowError::AlreadyAnswered { .. }
        | FlowError::Finished
        | FlowError::Cancelled { .. }
        | FlowError::TimedOut { .. }
        | FlowError::Failed { .. }
        | FlowError::Suspended { .. }
        | FlowError::Panicked { .. }
        | FlowError::UnknownAgents { .. }
        | FlowError::Limit { .. }
        | FlowError::Suppressed { .. }
        | FlowError::Rejected { .. }
        | FlowError::MaxVisits { .. }
        | FlowError::MaxSteps { .. }
        | FlowError::TooDeep { .. }
        | FlowError::InboxFull { .. }
        | FlowError::RunDropped => false,
    }
}

#[test]
fn display_says_the_cause_and_get_ref_is_the_cause() {
    let kinds = |errors: &[FlowError]| {
        let kinds = errors.iter().filter(|error| has_cause(error));
        let kinds = kinds.map(std::mem::discriminant);
        kinds.collect::<std::collections::HashSet<_>>()
    };
    let errors = errors();
    assert_eq!(kinds(&errors), kinds(&flow_errors()), "one is missing here");
    for error in errors {
        let text = error.to_string();
        let cause = error.get_ref().expect("it has a cause").to_string();
        assert!(text.contains(&cause), "{text} / {cause}");
    }
}

#[test]
fn a_printed_chain_says_nothing_twice_and_goes_to_the_end() {
    for error in errors().into_iter().chain(flow_errors()) {
        let said = chain(&error);
        for (i, text) in said.iter().enumerate() {
            let before = said.get(..i).unwrap_or_default();
            assert!(!before.iter().any(|it| it.contains(text)), "{said:?}");
        }
        let knows = |word: &str| said.iter().any(|text| text.contains(word));
        assert_eq!(
            knows(&Full.to_string()),
            knows(&Worn.to_string()),
            "{said:?}"
        );
    }
}
