//! Gemini's `generateContent`.
//!
//! <https://ai.google.dev/api/generate-content>

mod lower;

use std::time::Duration;

use serde_json::Value;

use super::{
    Merged, Wire, WireError, malformed,
    value::{append, count, edit, edit_item, field, list, push, text},
};
use crate::model::{
    ModelError, ModelRequest, ModelResponse, Opaque, Provider, StopReason, Usage, schema::Cache,
};

const PROVIDER: &str = Provider::Gemini.scheme();

/// Where the parts of a tool call are.
const CALL: [&str; 3] = ["/id", "/name", "/args"];

pub(in crate::model) struct Gemini;

impl Wire for Gemini {
    fn path(&self, model: &str, stream: bool) -> String {
        // `tunedModels/NAME` and the like name their collection themselves.
        let collection = if model.contains('/') { "" } else { "models/" };
        match stream {
            true => format!("/{collection}{model}:streamGenerateContent?alt=sse"),
            false => format!("/{collection}{model}:generateContent"),
        }
    }

    fn lower(&self, request: &ModelRequest, schemas: &Cache, _: bool) -> Result<Value, ModelError> {
        lower::lower(request, schemas)
    }

    fn lift(&self, body: &Value, model: &str) -> Result<ModelResponse, ModelError> {
        if let Some(error) = self.error(body) {
            return Err(error.into_error());
        }
        let usage = self.usage(body);
        let Some(candidate) = list(body, "/candidates").first() else {
            let Some(reason) = text(body, "/promptFeedback/blockReason") else {
                return Err(malformed("the answer has no candidates"));
            };
            return Ok(ModelResponse {
                text: Some(reason.to_owned()),
                stop: StopReason::ContentFilter,
                usage,
                ..Default::default()
            });
        };
        let parts = list(candidate, "/content/parts");
        let said = parts
            .iter()
            .filter(|part| part.get("thought") != Some(&Value::Bool(true)))
            .filter_map(|part| text(part, "/text"));
        let said: String = said.collect();
        let calls = parts
            .iter()
            .filter_map(|part| part.get("functionCall"))
            .map(|call| super::lift_call(call, CALL))
            .collect::<Result<Vec<_>, _>>()?;
        let stop = match text(candidate, "/finishReason") {
            Some("MAX_TOKENS") => StopReason::MaxTokens,
            Some("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII") => {
                StopReason::ContentFilter
            }
            // After tool calls it says `STOP`, and some servers the other.
            Some(other) if !["STOP", "FUNCTION_CALL"].contains(&other) => {
                StopReason::Other(other.to_owned())
            }
            _ if !calls.is_empty() => StopReason::ToolCalls,
            _ => StopReason::End,
        };
        let mean = candidate.get("avgLogprobs").and_then(Value::as_f64);
        Ok(ModelResponse {
            text: Some(said).filter(|said| !said.is_empty()),
            calls,
            stop,
            usage,
            opaque: (!parts.is_empty())
                .then(|| Opaque::new(PROVIDER, model, parts.to_vec().into())),
            token_probability: mean.and_then(super::mean_probability),
        })
    }

    fn usage(&self, body: &Value) -> Usage {
        let count = |key| count(body, key);
        let reasoning = count("/usageMetadata/thoughtsTokenCount");
        Usage {
            input: count("/usageMetadata/promptTokenCount")
                .saturating_add(count("/usageMetadata/toolUsePromptTokenCount")),
            output: count("/usageMetadata/candidatesTokenCount").saturating_add(reasoning),
            cached: count("/usageMetadata/cachedContentTokenCount"),
            reasoning,
        }
    }

    fn error(&self, body: &Value) -> Option<WireError> {
        // Some errors come in a list of one.
        let body = body.get(0).unwrap_or(body);
        let error = body.get("error")?;
        let details = list(error, "/details");
        let reason = details.iter().find_map(|detail| text(detail, "/reason"));
        let wait = details
            .iter()
            .find_map(|detail| text(detail, "/retryDelay"))
            .and_then(|wait| wait.strip_suffix('s')?.parse().ok())
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let code = reason
            .filter(|reason| *reason == "API_KEY_INVALID")
            .or_else(|| text(error, "/status"));
        let error = WireError::of_text(error).or_else(|| WireError::of_parts(code, error));
        Some(error?.with_retry_after(wait))
    }

    fn merge(&self, body: &mut Value, event: Value) -> Result<Merged, ModelError> {
        if let Some(error) = self.error(&event) {
            return Err(error.into_error());
        }
        let mut said = String::new();
        edit(body, |body| {
            for (key, value) in event.as_object().into_iter().flatten() {
                if key != "candidates" {
                    body.insert(key.clone(), value.clone());
                }
            }
            if let Some(candidate) = list(&event, "/candidates").first() {
                edit_item(field(body, "candidates"), 0, |whole| {
                    merge_candidate(whole, candidate, &mut said);
                });
            }
        });
        Ok(Merged::text(Some(&said)))
    }

    fn is_whole(&self, body: &Value) -> bool {
        text(body, "/candidates/0/finishReason").is_some()
            || text(body, "/promptFeedback/blockReason").is_some()
    }
}

/// Adds the parts of a chunk, and collects the text that the model said in it.
fn merge_candidate(whole: &mut Value, chunk: &Value, said: &mut String) {
    edit(whole, |whole| {
        for (key, value) in chunk.as_object().into_iter().flatten() {
            if key != "content" {
                whole.insert(key.clone(), value.clone());
            }
        }
        edit(field(whole, "content"), |content| {
            for part in list(chunk, "/content/parts") {
                let is_thought = part.get("thought") == Some(&Value::Bool(true));
                if let Some(more) = text(part, "/text").filter(|_| !is_thought) {
                    said.push_str(more);
                }
                merge_part(field(content, "parts"), part);
            }
        });
    });
}

/// Adds to the last part what only continues its text.
fn merge_part(parts: &mut Value, part: &Value) {
    let is_plain = |part: &Value| {
        let fields = part.as_object();
        fields.is_some_and(|fields| fields.len() == 1 && fields.contains_key("text"))
    };
    let last = parts.as_array_mut().and_then(|parts| parts.last_mut());
    match (last, text(part, "/text")) {
        (Some(last), Some(more)) if is_plain(last) && is_plain(part) => {
            edit(last, |last| append(field(last, "text"), more));
        }
        _ => push(parts, part.clone()),
    }
}
