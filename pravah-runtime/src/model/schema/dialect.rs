//! How each provider wants its schemas.

use serde_json::Value;

use super::{SchemaError, anthropic, gemini, ollama, openai};

/// How a provider wants its schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::model) enum Dialect {
    OpenAi,
    /// An output of Anthropic, which is always strict.
    Anthropic,
    /// A tool of Anthropic, which is strict where it can be.
    AnthropicTool,
    Gemini,
    /// An output of Ollama.
    Ollama,
    OllamaTool,
}

/// A schema as it is sent.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::model) struct Lowered {
    pub(in crate::model) schema: Value,
    /// Whether the provider may be asked to follow it to the letter.
    pub(in crate::model) strict: bool,
    /// How many properties may be left out, and how many places take one of several forms: some
    /// providers count them.
    pub(in crate::model) optional: usize,
    pub(in crate::model) unions: usize,
}

impl Lowered {
    fn new(schema: Value, strict: bool) -> Self {
        Self {
            schema,
            strict,
            optional: 0,
            unions: 0,
        }
    }
}

pub(super) fn lower(schema: &Value, dialect: Dialect) -> Result<Lowered, SchemaError> {
    Ok(match dialect {
        Dialect::OpenAi => {
            let (schema, strict) = openai::lower(schema);
            Lowered::new(schema, strict)
        }
        Dialect::Anthropic => anthropic::lower(schema)?,
        Dialect::AnthropicTool => {
            anthropic::lower(schema).unwrap_or_else(|_| Lowered::new(schema.clone(), false))
        }
        Dialect::Gemini => Lowered::new(gemini::lower(schema)?, true),
        Dialect::Ollama => Lowered::new(schema.clone(), false),
        Dialect::OllamaTool => Lowered::new(ollama::lower_tool(schema), false),
    })
}
