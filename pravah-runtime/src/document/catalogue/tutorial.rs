//! Nodes for lessons and tests.

use std::time::Duration;

use pravah_document::whole;
use serde_json::{Value, json};

use super::{field, text};
use crate::{Context, document::registry::Implementation, error::BoxError};

pub(super) fn implementation(name: &str) -> Option<Implementation> {
    Some(match name {
        "tutorial.flaky" => Implementation::later(flaky),
        "tutorial.delay" => Implementation::later(delay),
        "tutorial.uppercase" => {
            Implementation::sync(|input| Ok(json!({ "text": text(&input, "text").to_uppercase() })))
        }
        "tutorial.security_scan" => Implementation::sync(|input| Ok(security_scan(&input))),
        _ => return None,
    })
}

async fn flaky(input: Value, ctx: Context) -> Result<Value, BoxError> {
    let label = text(&input, "label");
    match ctx.step().attempt() {
        1 => Err(format!("`{label}` fails at the first attempt").into()),
        attempt => Ok(json!({ "label": label, "attempt": attempt })),
    }
}

async fn delay(input: Value, _: Context) -> Result<Value, BoxError> {
    let ms = whole(field(&input, "ms")).unwrap_or_default();
    tokio::time::sleep(Duration::from_millis(ms)).await;
    Ok(json!({ "ms": ms }))
}

/// What it looks for.
const RULES: [&str; 2] = ["eval(", "password"];

fn security_scan(input: &Value) -> Value {
    let lines = (1_u64..).zip(text(input, "content").lines());
    let issues = lines.flat_map(|(line, text)| {
        let found = RULES.iter().filter(move |rule| text.contains(**rule));
        found.map(move |rule| json!({ "rule": rule, "line": line }))
    });
    let issues: Vec<Value> = issues.collect();
    json!({ "path": text(input, "path"), "issues": issues })
}
