//! OpenAI's Responses.
//!
//! Nothing is stored at the provider: reasoning comes back encrypted, and goes there again with the
//! conversation. <https://platform.openai.com/docs/api-reference/responses>

mod lower;

use serde_json::Value;

use super::{
    Merged, Wire, WireError, malformed,
    value::{arguments_text, count, edit, edit_item, field, list, text, without_gaps},
};
use crate::model::{
    Arguments, ModelError, ModelRequest, ModelResponse, Opaque, Provider, StopReason, ToolCall,
    Usage, schema::Cache,
};

const PROVIDER: &str = Provider::OpenAiResponses.scheme();

/// Where the parts of a tool call are.
const CALL: [&str; 3] = ["/call_id", "/name", "/arguments"];

pub(in crate::model) struct Responses;

impl Wire for Responses {
    fn path(&self, _: &str, _: bool) -> String {
        "/responses".to_owned()
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
        let status = text(body, "/status").unwrap_or("completed");
        // Not `status`: an error without a status is an error.
        if let Some(error) = self.error(body)
            && body.get("status") != Some(&"completed".into())
        {
            return Err(error.into_error());
        }
        let Some(Value::Array(output)) = body.get("output") else {
            return Err(malformed("the answer has no output"));
        };
        let mut answer = Answer::default();
        for item in output.iter().filter(|item| !item.is_null()) {
            answer.take(item)?;
        }
        let stop = match (status, text(body, "/incomplete_details/reason")) {
            _ if answer.refusal.is_some() => StopReason::Refusal,
            (_, Some("content_filter")) => StopReason::ContentFilter,
            (_, Some("max_output_tokens")) => StopReason::MaxTokens,
            (_, Some(other)) => StopReason::Other(other.to_owned()),
            ("completed", None) if !answer.calls.is_empty() => StopReason::ToolCalls,
            ("completed", None) => StopReason::End,
            (other, None) => StopReason::Other(other.to_owned()),
        };
        Ok(ModelResponse {
            text: answer
                .refusal
                .or(answer.text)
                .filter(|text| !text.is_empty()),
            calls: answer.calls,
            stop,
            usage: self.usage(body),
            opaque: (!output.is_empty())
                .then(|| Opaque::new(PROVIDER, model, without_gaps(output))),
            token_probability: super::token_probability(&answer.logprobs),
        })
    }

    fn usage(&self, body: &Value) -> Usage {
        Usage {
            input: count(body, "/usage/input_tokens"),
            output: count(body, "/usage/output_tokens"),
            cached: count(body, "/usage/input_tokens_details/cached_tokens"),
            reasoning: count(body, "/usage/output_tokens_details/reasoning_tokens"),
        }
    }

    fn error(&self, body: &Value) -> Option<WireError> {
        WireError::of_openai(body)
    }

    fn merge(&self, body: &mut Value, event: Value) -> Result<Merged, ModelError> {
        match text(&event, "/type").unwrap_or_default() {
            "response.output_text.delta" => Ok(Merged::text(text(&event, "/delta"))),
            "response.output_item.done" => {
                let index = event.get("output_index").unwrap_or(&Value::Null);
                let (index, item) = (super::index(index)?, event.get("item"));
                edit(body, |body| {
                    edit_item(field(body, "output"), index, |place| {
                        *place = item.cloned().unwrap_or_default();
                    });
                });
                Ok(Merged::default())
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                let Some(Value::Object(whole)) = event.get("response") else {
                    return Err(malformed("the last event holds no answer"));
                };
                edit(body, |body| {
                    for (key, value) in whole {
                        // The items came before, and hold what the end may leave out.
                        if key != "output" || !body.contains_key(key) {
                            body.insert(key.clone(), value.clone());
                        }
                    }
                });
                Ok(Merged::last())
            }
            "error" => {
                let nested = WireError::of_openai(&event);
                let error = nested.or_else(|| WireError::of_fields(&event));
                Err(error.unwrap_or_default().into_error())
            }
            // Proxies report their errors without a type.
            _ => match self.error(&event) {
                Some(error) => Err(error.into_error()),
                None => Ok(Merged::default()),
            },
        }
    }

    fn is_whole(&self, body: &Value) -> bool {
        body.get("status").is_some()
    }
}

/// What the items of an output say together.
#[derive(Default)]
struct Answer {
    text: Option<String>,
    refusal: Option<String>,
    calls: Vec<ToolCall>,
    logprobs: Vec<Value>,
}

impl Answer {
    fn take(&mut self, item: &Value) -> Result<(), ModelError> {
        match text(item, "/type") {
            Some("message") => {
                for part in list(item, "/content") {
                    match text(part, "/type") {
                        Some("refusal") => {
                            let why = text(part, "/refusal").unwrap_or_default();
                            self.refusal = Some(why.to_owned());
                        }
                        _ => {
                            let more = text(part, "/text").unwrap_or_default();
                            self.text.get_or_insert_default().push_str(more);
                            self.logprobs.extend_from_slice(list(part, "/logprobs"));
                        }
                    }
                }
            }
            Some("function_call") => {
                let mut call = super::lift_call(item, CALL)?;
                // What breaks off is no JSON, even where nothing of it came.
                if text(item, "/status") == Some("incomplete") {
                    call.arguments = Arguments::Text(arguments_text(&call.arguments));
                }
                self.calls.push(call);
            }
            _ => {}
        }
        Ok(())
    }
}
