//! The input of `claude.agent`: a prompt, or a conversation that it goes on with.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::Value;

use crate::{
    error::NodeDataError,
    model::{Media, Prompt},
};

pub(super) fn prompt(input: &Value) -> Result<Prompt, NodeDataError> {
    let messages = input.get("messages").and_then(Value::as_array);
    let messages = messages.map_or(&[][..], Vec::as_slice);
    let mut prompt = Prompt::new();
    for message in messages {
        let content = message.get("content").unwrap_or(&Value::Null);
        let role = message.get("role").and_then(Value::as_str);
        prompt = match role {
            Some("assistant") if prompt.is_empty() => {
                return Err(NodeDataError::input(
                    "an answer in `messages` follows nothing that the user says",
                ));
            }
            Some("assistant") => prompt.answered(text(content)?),
            _ => said(prompt, content)?,
        };
    }
    if let Some(text) = input.get("prompt").and_then(Value::as_str) {
        prompt = prompt.text(text);
    }
    match prompt.is_empty() {
        true => Err(NodeDataError::input(
            "the last of `messages` is not the user's",
        )),
        false => Ok(prompt),
    }
}

/// What an answer says, which has no images.
fn text(content: &Value) -> Result<String, NodeDataError> {
    let Value::Array(parts) = content else {
        return Ok(content.as_str().unwrap_or_default().to_owned());
    };
    let texts = parts.iter().map(|part| match field(part, "type") {
        "text" => Ok(field(part, "text")),
        other => Err(unknown(other)),
    });
    texts.collect()
}

/// Adds what the user says.
fn said(prompt: Prompt, content: &Value) -> Result<Prompt, NodeDataError> {
    let Value::Array(parts) = content else {
        return Ok(prompt.text(content.as_str().unwrap_or_default()));
    };
    parts.iter().try_fold(prompt, |prompt, part| {
        Ok(match field(part, "type") {
            "text" => prompt.text(field(part, "text")),
            "image" => prompt.image(media(part)?),
            "document" => prompt.file(media(part)?),
            other => return Err(unknown(other)),
        })
    })
}

/// An image or a file: `{ "source": { "type": "url", "url" } }`, or `{ "type": "base64", "media_type", "data" }`.
fn media(part: &Value) -> Result<Media, NodeDataError> {
    let source = part.get("source").unwrap_or(&Value::Null);
    match field(source, "type") {
        "url" => Ok(Media::url(field(source, "url"))),
        "base64" => {
            let bytes = BASE64_STANDARD.decode(field(source, "data"));
            let bytes = bytes
                .map_err(|_| NodeDataError::input("an image or a file is not valid base64"))?;
            Ok(Media::new(field(source, "media_type"), bytes))
        }
        other => Err(unknown(other)),
    }
}

fn field<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn unknown(kind: &str) -> NodeDataError {
    NodeDataError::input(format!(
        "a message has a part of the type `{kind}`, which is unknown"
    ))
}
