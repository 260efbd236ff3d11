//! The settings of an agent: those of its node, and those in its input.

use std::time::Duration;

use pravah_document::{Node, Template, violations, whole};
use serde_json::{Map, Value};

use super::{CLAUDE, NodeRegistry};
use crate::{
    agent::{AgentConfig, Contract, ToolBox, Turns},
    model::{ModelOptions, ModelUrl, Provider},
};

/// Settings that fit the type of the node.
pub(super) struct Settings(Map<String, Value>);

impl Settings {
    /// The settings of a node. What its input says comes first, and `tools` and `metadata` are taken together.
    pub(super) fn of(
        registry: &NodeRegistry,
        node: &Node,
        input: &Template,
    ) -> Result<Self, String> {
        let mut settings = Self(node.config.as_object().cloned().unwrap_or_default());
        let source = input.source();
        if node.type_name == CLAUDE {
            if let Some(Value::Object(options)) = fixed(&source, "options")? {
                options
                    .into_iter()
                    .for_each(|(key, value)| settings.add(&key, value));
            }
        } else {
            for key in ["model", "system", "tools", "metadata"] {
                if let Some(value) = fixed(&source, key)? {
                    settings.add(key, value);
                }
            }
        }
        let node_type = registry.catalogue().get(&node.type_name);
        let schema = node_type.and_then(|node_type| node_type.config.as_ref());
        let all = Value::Object(settings.0);
        let problems = schema.map_or_else(Vec::new, |schema| violations(schema, &all));
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        match (problems.is_empty(), all) {
            (true, Value::Object(all)) => Ok(Self(all)),
            _ => Err(format!("its settings do not fit: {}", problems.join("; "))),
        }
    }

    fn add(&mut self, key: &str, value: Value) {
        let value = match (self.0.remove(key), value) {
            (Some(Value::Array(mut items)), Value::Array(more)) if key == "tools" => {
                items.extend(more);
                Value::Array(items)
            }
            (Some(Value::Object(mut fields)), Value::Object(more)) if key == "metadata" => {
                fields.extend(more);
                Value::Object(fields)
            }
            (_, value) => value,
        };
        self.0.insert(key.to_owned(), value);
    }

    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    fn number(&self, key: &str) -> Option<u32> {
        u32::try_from(whole(self.get(key)?)?).ok()
    }

    fn texts(&self, key: &str) -> Vec<&str> {
        match self.get(key) {
            Some(Value::String(text)) => vec![text],
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// How the agent is set up. `preamble` is what its type says before `system` does.
    pub(super) fn config(
        &self,
        registry: &NodeRegistry,
        preamble: &str,
        is_claude: bool,
    ) -> Result<AgentConfig, String> {
        let system = self.text("system").unwrap_or_default();
        let parts = [preamble, system];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let mut config = AgentConfig::new(parts.join("\n\n"), self.model(registry, is_claude)?)
            .with_tools(self.tools(&registry.tools)?)
            .with_options(self.options());
        if let Some(turns) = self.number("maxTurns").filter(|turns| *turns > 1) {
            // That limits the model calls of all turns together.
            let calls = config.max_turns.saturating_mul(turns);
            config = config.with_turns(self.turns(turns)).max_turns(calls);
        }
        let contract = Contract::from_fields(&self.0).map_err(|error| error.to_string())?;
        Ok(match contract {
            Some(contract) => config.with_contract(contract),
            None => config,
        })
    }

    fn turns(&self, max: u32) -> Turns {
        let turns = Turns::new().max(max);
        match self.get("idleTimeoutMs").and_then(whole) {
            Some(idle) => turns.idle(Duration::from_millis(idle)),
            None => turns,
        }
    }

    /// The URL of the model.
    fn model(&self, registry: &NodeRegistry, is_claude: bool) -> Result<String, String> {
        let default = registry.model.as_deref();
        match self.text("model").or(default) {
            Some(model) => Ok(url(model, default.filter(|_| !is_claude), is_claude)),
            None => Err("it names no model, and there is no default".to_owned()),
        }
    }

    fn tools(&self, known: &ToolBox) -> Result<ToolBox, String> {
        known.only(&self.texts("tools"))
    }

    fn options(&self) -> ModelOptions {
        let mut options = ModelOptions::new();
        options.max_tokens = self.number("maxTokens");
        options.temperature = self.get("temperature").and_then(Value::as_f64);
        options.top_p = self.get("topP").and_then(Value::as_f64);
        options.seed = self.get("seed").and_then(|seed| {
            let whole = || i64::try_from(whole(seed)?).ok();
            seed.as_i64().or_else(whole)
        });
        options.stop = self.texts("stop").into_iter().map(str::to_owned).collect();
        for (key, value) in self.object("metadata") {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            options = options.metadata(key, text);
        }
        options.extra = self.object("provider").collect();
        options
    }

    fn object(&self, key: &str) -> impl Iterator<Item = (String, Value)> {
        let fields = self.get(key).and_then(Value::as_object);
        fields.cloned().unwrap_or_default().into_iter()
    }
}

/// A field of the input that is needed before a run.
fn fixed(source: &Value, field: &str) -> Result<Option<Value>, String> {
    let Some(part) = source.get(field) else {
        return Ok(None);
    };
    let part = Template::parse(part).map_err(|error| format!("`{field}`: {error}"))?;
    match part.as_value() {
        Some(Value::Null) => Ok(None),
        Some(value) => Ok(Some(value.clone())),
        None => Err(format!(
            "`{field}` of its input is needed before a run, and cannot be a binding"
        )),
    }
}

/// The URL of a model. A bare name is one of the provider of `default`, whose host stays.
fn url(model: &str, default: Option<&str>, is_claude: bool) -> String {
    if model.contains("://") {
        return model.to_owned();
    }
    let prefix = default.and_then(|url| {
        let known = ModelUrl::custom(url).ok()?;
        url.strip_suffix(known.model())
    });
    let provider = match is_claude {
        true => Provider::Anthropic,
        false => Provider::OpenAi,
    };
    match prefix {
        Some(prefix) => format!("{prefix}{model}"),
        None => format!("{}://{model}", provider.scheme()),
    }
}

#[cfg(test)]
mod tests {
    use super::url;

    #[test]
    fn a_bare_name_is_a_model_of_the_default_provider() {
        for (model, default, is_claude, expected) in [
            ("m", None, false, "openai://m"),
            ("m", Some("gemini://x"), false, "gemini://m"),
            ("m", Some("ollama://h:1/x"), false, "ollama://h:1/m"),
            ("gemini://m", Some("openai://x"), false, "gemini://m"),
            ("m", None, true, "anthropic://m"),
        ] {
            assert_eq!(url(model, default, is_claude), expected);
        }
    }
}
