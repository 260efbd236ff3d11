//! What clients send to agents.

use a2a::{A2AError, Message, Part, PartContent, SendMessageConfiguration, error_code as code};
use pravah_runtime::invocation;

use crate::content::{JSON, TEXT, value_of};

/// The longest id that a client may choose, in bytes.
const MAX_ID: usize = 256;

/// Fails for a message that no agent can be told.
pub(super) fn check(message: &Message) -> Result<(), A2AError> {
    let invalid = |why: &str| Err(A2AError::invalid_params(why));
    let ids = [Some(&message.message_id), message.context_id.as_ref()];
    match message {
        it if it.message_id.is_empty() => invalid("the message has no `messageId`"),
        it if it.parts.is_empty() => invalid("the message has no `parts`"),
        it if it.role == a2a::Role::Agent => {
            invalid("the message is an agent's: its role is `ROLE_USER`")
        }
        _ if ids.into_iter().flatten().any(|id| id.len() > MAX_ID) => {
            invalid(&format!("an id is longer than {MAX_ID} bytes"))
        }
        it if it.parts.iter().any(|part| !has_content(part)) => Err(A2AError::new(
            code::CONTENT_TYPE_NOT_SUPPORTED,
            "agents here take texts and data, and no files",
        )),
        _ => Ok(()),
    }
}

const fn has_content(part: &Part) -> bool {
    matches!(part.content, PartContent::Text(_) | PartContent::Data(_))
}

/// Whether the client reads texts alone.
pub(super) fn wants_text(
    configuration: Option<&SendMessageConfiguration>,
) -> Result<bool, A2AError> {
    if configuration.is_some_and(|it| it.task_push_notification_config.is_some()) {
        return Err(A2AError::push_notification_not_supported());
    }
    let accepted = configuration.and_then(|it| it.accepted_output_modes.as_deref());
    let accepted = accepted.unwrap_or_default();
    let accepts = |mode: &str| {
        let accepts = |it: &String| {
            let it = it.split(';').next().unwrap_or_default().trim();
            let (kind, _) = mode.split_once('/').unwrap_or_default();
            it == mode || it == "*/*" || it.strip_suffix("/*") == Some(kind)
        };
        accepted.iter().any(accepts)
    };
    match (accepted.is_empty() || accepts(JSON), accepts(TEXT)) {
        (true, _) => Ok(false),
        (false, true) => Ok(true),
        (false, false) => Err(A2AError::content_type_not_supported()),
    }
}

/// What the agent is told.
pub(super) fn for_agent(message: &Message) -> invocation::Message {
    let parts = message.parts.iter().map(|part| match part.as_text() {
        Some(text) => invocation::Part::Text(text.to_owned()),
        None => invocation::Part::Data(value_of(std::slice::from_ref(part))),
    });
    let mut message = invocation::Message::user("");
    message.parts = parts.collect();
    message
}
