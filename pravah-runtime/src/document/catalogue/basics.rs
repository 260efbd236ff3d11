//! `echo`, `constant`, `condition.equals`.

use serde_json::{Value, json};

use crate::document::registry::Implementation;

pub(super) fn implementation(name: &str) -> Option<Implementation> {
    Some(match name {
        "echo" | "constant" | "control.noop" => Implementation::sync(Ok),
        "condition.equals" => Implementation::sync(|input| {
            let holds = pravah_document::equal(
                input.get("left").unwrap_or(&Value::Null),
                input.get("right").unwrap_or(&Value::Null),
            );
            Ok(json!({ "value": holds }))
        }),
        "control.fail" => Implementation::sync(|input| {
            let message = input.get("message").and_then(Value::as_str);
            Err(message.unwrap_or_default().to_owned().into())
        }),
        _ => return None,
    })
}
