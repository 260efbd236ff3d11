//! What a request can say besides its messages: how long an answer may be, how it is sampled, how much
//! the model reasons.

use std::{collections::BTreeMap, time::Duration};

use serde::Serialize;
use serde_json::{Map, Value};

/// What a request says besides its messages. What is not set is left to the provider.
///
/// They are set for an agent ([`AgentConfig::with_options`], or the options of `#[agent]`), to all
/// models of a [`ClientFactory`] or of a server, and to an agent in one run
/// ([`FlowRuntime::with_options`]). Where several set the same option, the run comes before the agent,
/// the agent before the server, and the server before the factory; metadata and the objects within
/// [`extra`](Self#structfield.extra) are taken together, key by key. An option that a provider or a
/// model does not take is an error before anything is sent.
///
/// ```
/// use pravah_runtime::{Effort, ModelOptions};
///
/// let options = ModelOptions::new().max_tokens(2_000).reasoning(Effort::Low);
/// assert_eq!(options.max_tokens, Some(2_000));
/// ```
///
/// [`AgentConfig::with_options`]: crate::AgentConfig::with_options
/// [`ClientFactory`]: super::ClientFactory
/// [`FlowRuntime::with_options`]: crate::FlowRuntime::with_options
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ModelOptions {
    /// Whether the model must call a tool where it has tools. [`ToolChoice::Required`] is an error where
    /// it is set for an agent without any; set for a factory or a server it counts for those with tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// The most tokens of one answer. Some providers count reasoning as part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// How much the model reasons before it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Reasoning>,
    /// How much chance there is in the choice of tokens, from 0 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The share of probable tokens to choose from, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Makes the choice of tokens repeatable, as far as the provider can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// Texts at which the answer ends. Empty: not set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// What the provider is to note beside the request.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// How long one model call may take, from the request to the end of the answer.
    #[serde(skip)]
    pub timeout: Option<Duration>,
    /// Whether what stays the same in a conversation is marked for the provider's cache, where a
    /// provider wants marks (Anthropic): yes unless set.
    #[serde(skip)]
    pub prompt_cache: Option<bool>,
    /// Fields of the provider's own, added to the body of the request. Objects are merged, at every
    /// depth; anything else replaces what the body has there.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

/// Whether a model must call a tool where it has tools.
///
/// A text in place of a call is repaired in either case, so [`Auto`](Self::Auto) works with every
/// model. Unless set, it is `Required` for the models that are known to take it, and `Auto` for all
/// others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides.
    Auto,
    /// It must call one.
    Required,
}

/// How much a model reasons before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reasoning {
    /// In words, as most providers take it.
    Effort(Effort),
    /// The most tokens of reasoning, for the providers that take a number.
    Tokens(u32),
}

/// How much a model reasons, in words. Not every model takes every word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effort {
    /// Not at all.
    None,
    /// As little as the model can.
    Minimal,
    /// A little.
    Low,
    /// As much as most models do unless told otherwise.
    Medium,
    /// Much.
    High,
    /// More than `High`, for the models that know it.
    #[serde(rename = "xhigh")]
    ExtraHigh,
    /// As much as the model can.
    Max,
}

impl Effort {
    #[cfg(feature = "providers")]
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::ExtraHigh => "xhigh",
            Self::Max => "max",
        }
    }
}

impl From<Effort> for Reasoning {
    fn from(effort: Effort) -> Self {
        Self::Effort(effort)
    }
}

impl From<u32> for Reasoning {
    fn from(tokens: u32) -> Self {
        Self::Tokens(tokens)
    }
}

/// Writes the setters, whose documentation is that of the fields.
macro_rules! setters {
    ($($field:ident: $type:ty),* $(,)?) => {$(
        #[doc = concat!("Sets [`", stringify!($field), "`](Self#structfield.", stringify!($field), ").")]
        #[must_use]
        pub fn $field(mut self, $field: $type) -> Self {
            self.$field = Some($field);
            self
        }
    )*};
}

impl ModelOptions {
    setters! {
        tool_choice: ToolChoice,
        max_tokens: u32,
        temperature: f64,
        top_p: f64,
        seed: i64,
        timeout: Duration,
        prompt_cache: bool,
    }

    /// Nothing set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets [`reasoning`](Self#structfield.reasoning): an [`Effort`], or a number of tokens.
    #[must_use]
    pub fn reasoning(mut self, reasoning: impl Into<Reasoning>) -> Self {
        self.reasoning = Some(reasoning.into());
        self
    }

    /// Adds a text at which the answer ends.
    #[must_use]
    pub fn stop(mut self, text: impl Into<String>) -> Self {
        self.stop.push(text.into());
        self
    }

    /// Adds something that the provider is to note.
    #[must_use]
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// Adds a field of the provider's own.
    #[must_use]
    pub fn extra(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.extra.insert(key.into(), value.into());
        self
    }

    /// What is set here, and what `other` says of the rest. Metadata and the objects within `extra` are
    /// taken together, key by key; a list is one value.
    #[must_use]
    pub fn or(mut self, other: &Self) -> Self {
        for (key, value) in &other.metadata {
            let entry = self.metadata.entry(key.clone());
            entry.or_insert_with(|| value.clone());
        }
        let mut extra = other.extra.clone();
        merge_fields(&mut extra, &self.extra);
        self.extra = extra;
        if self.stop.is_empty() {
            self.stop.clone_from(&other.stop);
        }
        Self {
            tool_choice: self.tool_choice.or(other.tool_choice),
            max_tokens: self.max_tokens.or(other.max_tokens),
            reasoning: self.reasoning.or(other.reasoning),
            temperature: self.temperature.or(other.temperature),
            top_p: self.top_p.or(other.top_p),
            seed: self.seed.or(other.seed),
            timeout: self.timeout.or(other.timeout),
            prompt_cache: self.prompt_cache.or(other.prompt_cache),
            ..self
        }
    }

    /// What several say together: who comes first has the first say.
    pub(crate) fn of_layers<'a>(layers: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut layers = layers.into_iter().filter(|layer| !layer.is_empty());
        let first = layers.next().cloned().unwrap_or_default();
        layers.fold(first, Self::or)
    }

    fn is_empty(&self) -> bool {
        self.timeout.is_none() && self.prompt_cache.is_none() && self.says_nothing()
    }

    /// Whether nothing is set that is sent.
    pub(crate) fn says_nothing(&self) -> bool {
        let Self {
            tool_choice: None,
            max_tokens: None,
            reasoning: None,
            temperature: None,
            top_p: None,
            seed: None,
            stop,
            metadata,
            timeout: _,
            prompt_cache: _,
            extra,
        } = self
        else {
            return false;
        };
        stop.is_empty() && metadata.is_empty() && extra.is_empty()
    }

    /// What cannot be meant, whoever the provider is.
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.max_tokens == Some(0) {
            problems.push("`max_tokens` is 0: there would be no answer".to_owned());
        }
        if let Some(temperature) = self.temperature
            && !(temperature.is_finite() && temperature >= 0.0)
        {
            problems.push(format!(
                "`temperature` is {temperature}: it must be at least 0"
            ));
        }
        if let Some(top_p) = self.top_p
            && !(0.0..=1.0).contains(&top_p)
        {
            problems.push(format!("`top_p` is {top_p}: it is a number from 0 to 1"));
        }
        if self.stop.iter().any(String::is_empty) {
            problems.push("`stop` has an empty text".to_owned());
        }
        if self.timeout.is_some_and(|timeout| timeout.is_zero()) {
            problems.push("`timeout` is zero: there would be no answer".to_owned());
        }
        problems
    }

    /// The options that are set and that not everybody takes.
    #[cfg(feature = "providers")]
    pub(super) fn set(&self) -> impl Iterator<Item = Setting> {
        let reasoning = self.reasoning.map(|reasoning| match reasoning {
            Reasoning::Effort(Effort::None) => Setting::NoReasoning,
            Reasoning::Effort(_) => Setting::Effort,
            Reasoning::Tokens(_) => Setting::ReasoningTokens,
        });
        let forced = self.tool_choice == Some(ToolChoice::Required);
        [
            forced.then_some(Setting::ForcedTools),
            reasoning,
            self.temperature.map(|_| Setting::Temperature),
            self.top_p.map(|_| Setting::TopP),
            self.seed.map(|_| Setting::Seed),
            (!self.stop.is_empty()).then_some(Setting::Stop),
            (!self.metadata.is_empty()).then_some(Setting::Metadata),
        ]
        .into_iter()
        .flatten()
    }
}

/// Adds fields: objects are merged, and anything else takes the place of what was there.
pub(super) fn merge_fields(into: &mut Map<String, Value>, from: &Map<String, Value>) {
    for (key, value) in from {
        match (into.get_mut(key), value) {
            (Some(Value::Object(into)), Value::Object(from)) => merge_fields(into, from),
            _ => {
                into.insert(key.clone(), value.clone());
            }
        }
    }
}

/// An option that not every provider or model takes.
#[cfg(feature = "providers")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    ForcedTools,
    NoReasoning,
    Effort,
    ReasoningTokens,
    Temperature,
    TopP,
    Seed,
    Stop,
    Metadata,
}

#[cfg(feature = "providers")]
impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::ForcedTools => "`tool_choice = required`",
            Self::NoReasoning => "`reasoning = none`",
            Self::Effort => "an effort of `reasoning`",
            Self::ReasoningTokens => "a number of tokens for `reasoning`",
            Self::Temperature => "`temperature`",
            Self::TopP => "`top_p`",
            Self::Seed => "`seed`",
            Self::Stop => "`stop`",
            Self::Metadata => "`metadata`",
        })
    }
}
