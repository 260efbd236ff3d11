//! A tool call as the model wrote it, and its result as the model reads it.

use std::borrow::Cow;

use serde_json::Value;

use crate::{
    model::{Arguments, ToolCall, ToolResult},
    model_text::{ForModel, ToModel as _},
};

/// What the model reads of arguments that cannot be read.
pub(super) const NOT_JSON: &str =
    "the arguments are not JSON, are nested too deeply, or have a reserved key";

/// The arguments of a call, unless they are no JSON.
pub(super) fn arguments_of(call: &ToolCall) -> Option<Cow<'_, Value>> {
    match &call.arguments {
        // A tool without arguments may be called with `null`.
        Arguments::Json(Value::Null) => Some(Cow::Owned(Value::Object(serde_json::Map::new()))),
        Arguments::Json(arguments) => Some(Cow::Borrowed(arguments)),
        Arguments::Text(_) => None,
    }
}

/// The result of a call, on its way to the model.
pub(super) fn result(
    call: &ToolCall,
    text: &(impl ForModel + ?Sized),
    is_error: bool,
) -> ToolResult {
    ToolResult {
        call_id: call.id.clone(),
        name: call.name.clone(),
        text: text.to_model(),
        is_error,
    }
}
