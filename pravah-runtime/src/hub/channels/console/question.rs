//! A question as a person reads it, and what they type as the JSON that it asks for.

use serde_json::{Value, json};

use super::screen::quoted;
use crate::{engine::Suspension, json};

/// How a question is answered.
enum Expected<'a> {
    Cases(Vec<&'a str>),
    YesOrNo,
    Text,
    /// A verdict on a tool call or on an agent's answer, see [`Review`](crate::Review).
    Verdict,
    /// JSON of this type, where that is known.
    Json(Option<&'a str>),
}

impl<'a> Expected<'a> {
    fn of(question: &'a Value) -> Self {
        let cases = json::texts(question, "cases");
        let verdict = question.pointer("/schema/oneOf/0/properties/verdict");
        let kind = question.pointer("/schema/type").and_then(Value::as_str);
        match kind {
            _ if !cases.is_empty() => Self::Cases(cases),
            _ if verdict.is_some() => Self::Verdict,
            Some("boolean") => Self::YesOrNo,
            Some("string") => Self::Text,
            kind => Self::Json(kind),
        }
    }
}

/// What a person types, as the JSON that is asked for. What cannot be that is sent as a text, and refused.
pub(super) fn answer(line: &str, question: &Value) -> Value {
    let line = line.trim();
    let json = || json::from_str(line).unwrap_or_else(|_| Value::from(line));
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match Expected::of(question) {
        Expected::Text => Value::from(line),
        Expected::Cases(cases) if cases.contains(&line) => Value::from(line),
        Expected::YesOrNo => yes_or_no(line).map_or_else(json, Value::Bool),
        Expected::Verdict => match (yes_or_no(word), rest.trim()) {
            (Some(true), "") => json!({ "verdict": "approve" }),
            (Some(false), "") => json!({ "verdict": "reject" }),
            (Some(false), reason) => json!({ "verdict": "reject", "reason": reason }),
            _ => json(),
        },
        Expected::Cases(_) | Expected::Json(_) => json(),
    }
}

fn yes_or_no(word: &str) -> Option<bool> {
    match &*word.to_lowercase() {
        "y" | "yes" | "true" => Some(true),
        "n" | "no" | "false" => Some(false),
        _ => None,
    }
}

/// What is asked, of what, and what may be answered.
pub(super) fn text(question: &Suspension) -> String {
    let value = &question.value;
    let prompt = value.get("prompt").and_then(Value::as_str);
    let mut text = match (prompt, value.get("arguments"), value.get("primary_output")) {
        (Some(prompt), ..) => format!("? {}", quoted(prompt)),
        (None, Some(arguments), _) => {
            let tool = value
                .get("tool")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let tool = quoted(tool);
            match value.get("type").and_then(Value::as_str) {
                Some("external_call") => {
                    format!("? Execute `{tool}` with {arguments}. What is its result?")
                }
                _ => format!("? Call `{tool}` with {arguments}?"),
            }
        }
        (None, None, Some(output)) => format!("? {}: accept {output}?", question.tool_id),
        (None, None, None) => format!("? {}: {value}", question.tool_id),
    };
    match value.get("state") {
        Some(Value::Object(state)) => {
            for (name, value) in state {
                text.push_str(&format!("\n    {}: {value}", quoted(name)));
            }
        }
        Some(Value::Null) | None => {}
        Some(state) => text.push_str(&format!("\n    {state}")),
    }
    let expected = match Expected::of(value) {
        Expected::Cases(cases) => quoted(&cases.join(", ")),
        Expected::YesOrNo => "yes or no".to_owned(),
        Expected::Text => "a text".to_owned(),
        Expected::Verdict => "yes, no [reason], or JSON".to_owned(),
        Expected::Json(Some(kind)) => format!("JSON: {kind}"),
        Expected::Json(None) => return text,
    };
    text.push_str(&format!("\n  ({expected})"));
    text
}
