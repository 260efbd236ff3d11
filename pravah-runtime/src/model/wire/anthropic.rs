//! Anthropic's Messages.
//!
//! <https://docs.anthropic.com/en/api/messages>

mod lower;

use serde_json::Value;

use super::{
    Merged, Wire, WireError, malformed,
    value::{append, count, edit, edit_item, field, push, text, update, without_gaps},
};
use crate::{
    json,
    model::{
        ModelError, ModelRequest, ModelResponse, Opaque, Provider, StopReason, Usage, schema::Cache,
    },
};

const PROVIDER: &str = Provider::Anthropic.scheme();

/// Where the parts of a tool call are.
const CALL: [&str; 3] = ["/id", "/name", "/input"];

/// Where the pieces of a call's arguments are kept until they are all there.
const PIECES: &str = "pravah_json";

pub(in crate::model) struct Anthropic;

impl Wire for Anthropic {
    fn path(&self, _: &str, _: bool) -> String {
        "/v1/messages".to_owned()
    }

    fn lower(
        &self,
        request: &ModelRequest,
        schemas: &Cache,
        stream: bool,
    ) -> Result<Value, ModelError> {
        lower::lower(request, schemas, stream)
    }

    fn lift(&self, body: &Value, model: &str) -> Result<ModelResponse, ModelError> {
        if let Some(error) = self.error(body) {
            return Err(error.into_error());
        }
        let Some(Value::Array(content)) = body.get("content") else {
            return Err(malformed("the answer is not a message"));
        };
        let texts = content
            .iter()
            .filter(|block| text(block, "/type") == Some("text"))
            .filter_map(|block| text(block, "/text"));
        let said: String = texts.collect();
        let calls = content
            .iter()
            .filter(|block| text(block, "/type") == Some("tool_use"))
            .map(|call| super::lift_call(call, CALL))
            .collect::<Result<Vec<_>, _>>()?;
        let stop = match text(body, "/stop_reason") {
            Some("refusal") => StopReason::Refusal,
            Some("max_tokens") => StopReason::MaxTokens,
            Some("model_context_window_exceeded") => StopReason::ContextWindow,
            Some("tool_use") => StopReason::ToolCalls,
            Some("end_turn" | "stop_sequence") if !calls.is_empty() => StopReason::ToolCalls,
            Some("end_turn" | "stop_sequence") => StopReason::End,
            Some(other) => StopReason::Other(other.to_owned()),
            None => StopReason::Other("no stop reason".to_owned()),
        };
        Ok(ModelResponse {
            text: Some(said).filter(|said| !said.is_empty()),
            calls,
            stop,
            usage: self.usage(body),
            opaque: (!content.is_empty())
                .then(|| Opaque::new(PROVIDER, model, without_gaps(content))),
            token_probability: None,
        })
    }

    fn usage(&self, body: &Value) -> Usage {
        let cached = count(body, "/usage/cache_read_input_tokens");
        let written = count(body, "/usage/cache_creation_input_tokens");
        let input = count(body, "/usage/input_tokens");
        Usage {
            input: input.saturating_add(cached).saturating_add(written),
            output: count(body, "/usage/output_tokens"),
            cached,
            reasoning: count(body, "/usage/output_tokens_details/thinking_tokens"),
        }
    }

    fn error(&self, body: &Value) -> Option<WireError> {
        let error = body.get("error")?;
        let code = text(error, "/details/error_code").or_else(|| text(error, "/type"));
        WireError::of_text(error).or_else(|| WireError::of_parts(code, error))
    }

    fn merge(&self, body: &mut Value, event: Value) -> Result<Merged, ModelError> {
        match text(&event, "/type").unwrap_or_default() {
            "message_start" => update(body, event.get("message").unwrap_or(&Value::Null)),
            "content_block_start" => {
                let block = event.get("content_block").cloned().unwrap_or_default();
                edit_block(body, &event, |place| *place = block)?;
            }
            "content_block_delta" => {
                let delta = event.get("delta").unwrap_or(&Value::Null);
                edit_block(body, &event, |block| merge_delta(block, delta))?;
                return Ok(Merged::text(text(delta, "/text")));
            }
            "content_block_stop" => edit_block(body, &event, finish_block)?,
            "message_delta" => edit(body, |body| {
                for (key, value) in event
                    .get("delta")
                    .and_then(Value::as_object)
                    .into_iter()
                    .flatten()
                {
                    body.insert(key.clone(), value.clone());
                }
                // Counts of the whole answer so far, not of this event.
                update(
                    field(body, "usage"),
                    event.get("usage").unwrap_or(&Value::Null),
                );
            }),
            "message_stop" => return Ok(Merged::last()),
            "error" => {
                let error = self.error(&event).unwrap_or_default();
                return Err(error.into_error());
            }
            // Proxies report their errors without a type.
            _ => {
                if let Some(error) = self.error(&event) {
                    return Err(error.into_error());
                }
            }
        }
        Ok(Merged::default())
    }

    fn is_whole(&self, body: &Value) -> bool {
        text(body, "/stop_reason").is_some()
    }
}

fn edit_block(
    body: &mut Value,
    event: &Value,
    change: impl FnOnce(&mut Value),
) -> Result<(), ModelError> {
    let index = super::index(event.get("index").unwrap_or(&Value::Null))?;
    edit(body, |body| {
        edit_item(field(body, "content"), index, change)
    });
    Ok(())
}

fn merge_delta(block: &mut Value, delta: &Value) {
    let more = |key| text(delta, key).unwrap_or_default();
    edit(block, |block| match text(delta, "/type") {
        Some("text_delta") => append(field(block, "text"), more("/text")),
        Some("input_json_delta") => append(field(block, PIECES), more("/partial_json")),
        Some("thinking_delta") => append(field(block, "thinking"), more("/thinking")),
        Some("signature_delta") => append(field(block, "signature"), more("/signature")),
        Some("citations_delta") => {
            let citation = delta.get("citation").cloned().unwrap_or_default();
            push(field(block, "citations"), citation);
        }
        _ => {}
    });
}

/// Reads the arguments of a call that are all there now.
fn finish_block(block: &mut Value) {
    edit(block, |block| {
        if let Some(Value::String(pieces)) = block.remove(PIECES)
            && !pieces.is_empty()
        {
            let input = json::from_str(&pieces).unwrap_or(Value::String(pieces));
            block.insert("input".to_owned(), input);
        }
    });
}
