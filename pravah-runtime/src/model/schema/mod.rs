//! The JSON Schemas that models are told: first stripped to what models need, then written in the
//! dialect of the provider.

#[cfg(feature = "providers")]
mod anthropic;
#[cfg(feature = "providers")]
mod cache;
#[cfg(feature = "providers")]
mod dialect;
mod explain;
#[cfg(feature = "providers")]
mod gemini;
pub(crate) mod object;
#[cfg(feature = "providers")]
mod ollama;
#[cfg(feature = "providers")]
mod openai;
mod strip;

#[cfg(feature = "providers")]
pub(super) use self::{
    anthropic::{MAX_OPTIONAL, MAX_UNIONS},
    cache::Cache,
    dialect::Dialect,
};
pub(crate) use explain::explain;
#[cfg(feature = "documents")]
pub(crate) use explain::explain_untyped;
pub(crate) use strip::strip;

/// Tool and schema names are at most this long, in characters.
pub(super) const MAX_NAME: usize = 64;

/// Why a schema cannot be sent: which place of it, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", place(.path))]
pub(crate) struct SchemaError {
    path: Vec<String>,
    why: String,
}

impl SchemaError {
    fn new(path: &[String], why: impl Into<String>) -> Self {
        Self {
            path: path.to_vec(),
            why: why.into(),
        }
    }
}

/// The field that a path of a schema leads to.
fn place(path: &[String]) -> String {
    match path {
        [] => "the type".to_owned(),
        path => format!("the field `{}`", path.join(".")),
    }
}

#[cfg(feature = "providers")]
/// Says in the description what cannot be said in the schema.
fn tell(out: &mut serde_json::Map<String, serde_json::Value>, told: &[String]) {
    if told.is_empty() {
        return;
    }
    // Sorted: serde_json may or may not keep the order of the source.
    let mut told: Vec<&str> = told.iter().map(String::as_str).collect();
    told.sort_unstable();
    let told = format!("({})", told.join(", "));
    let description = match out.get("description") {
        Some(serde_json::Value::String(text)) if !text.is_empty() => format!("{text} {told}"),
        _ => told,
    };
    out.insert("description".to_owned(), description.into());
}

/// Whether a schema takes objects, if not only them.
#[cfg(feature = "providers")]
fn is_object(schema: &serde_json::Map<String, serde_json::Value>) -> bool {
    match schema.get("type") {
        Some(serde_json::Value::String(ty)) => ty == "object",
        Some(serde_json::Value::Array(types)) => types.iter().any(|ty| ty == "object"),
        _ => false,
    }
}

/// A tool name of the letters that providers allow; a name of no letters is `_`.
pub(crate) fn tool_name(text: &str) -> String {
    match name(text) {
        name if name.is_empty() => "_".to_owned(),
        name => name,
    }
}

/// A name of the letters that providers allow.
pub(super) fn name(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        })
        .take(MAX_NAME)
        .collect()
}
