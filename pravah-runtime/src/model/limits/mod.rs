//! What the interface of each provider takes, as its vendor documents it: whatever it does not take is an
//! error before anything is sent. A limit that no vendor documents is not here; what single models
//! refuse is in [`known`](super::known).

mod interfaces;
mod media;

#[cfg(feature = "genai")]
pub(super) use self::interfaces::GENAI;
use self::media::{MediaKind, Medium};
pub(super) use self::{
    interfaces::{ANTHROPIC, CHAT, COMPATIBLE, GEMINI, OLLAMA, RESPONSES},
    media::{PLAIN_TEXT, text_of},
};
use super::{
    Message, Messages, ModelError, ModelErrorKind, ModelOptions, ModelRequest, Part, Reasoning,
    known, options::Setting,
};
use crate::quoted::quoted;

/// What one interface takes.
pub(super) struct Limits {
    /// Whose it is.
    who: &'static str,
    /// The options that it has no place for.
    no_place: &'static [Setting],
    /// The highest temperature.
    temperature: Option<f64>,
    /// The most texts at which an answer ends.
    stops: Option<usize>,
    metadata: Metadata,
    /// The fewest tokens of reasoning.
    reasoning_tokens: u32,
    images: Option<Medium>,
    files: Option<Medium>,
}

enum Metadata {
    Any,
    /// So many pairs, with keys and values of so many characters.
    UpTo {
        pairs: usize,
        key: usize,
        value: usize,
    },
    /// These keys.
    Only(&'static [&'static str]),
}

/// Refuses what the interface does not take, or the model is known not to take.
pub(super) fn check(request: &ModelRequest, limits: &Limits) -> Result<(), ModelError> {
    if let Some(problem) = request.options.problems().into_iter().next() {
        return Err(ModelError::new(ModelErrorKind::InvalidRequest, problem));
    }
    for setting in request.options.set() {
        if limits.no_place.contains(&setting) {
            return Err(refused(request, setting, limits.who));
        }
        if known::refuses(&request.model, setting) {
            return Err(refused(request, setting, "this model"));
        }
    }
    let model = &request.model;
    let problem = limits
        .check_options(&request.options)
        .map(|Refusal { what, why }| format!("{what} cannot be set for `{model}`: {why}"));
    let problem = problem.or_else(|| {
        let Refusal { what, why } = limits.check_prompt(&request.messages)?;
        Some(format!("`{model}` cannot be sent {what}: {why}"))
    });
    match problem {
        Some(problem) => Err(ModelError::new(ModelErrorKind::InvalidRequest, problem)),
        None => Ok(()),
    }
}

/// The error of an option that is not taken.
pub(super) fn refused(
    request: &ModelRequest,
    option: impl std::fmt::Display,
    who: &str,
) -> ModelError {
    ModelError::new(
        ModelErrorKind::InvalidRequest,
        format!(
            "{option} cannot be set for `{}`: {who} does not take it",
            request.model
        ),
    )
}

/// An option or a part of a prompt that is not taken.
struct Refusal {
    what: String,
    why: String,
}

impl Refusal {
    fn new(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            why: why.into(),
        }
    }
}

impl Limits {
    /// The option whose value is out of bounds.
    fn check_options(&self, options: &ModelOptions) -> Option<Refusal> {
        let who = self.who;
        if let (Some(most), Some(temperature)) = (self.temperature, options.temperature)
            && temperature > most
        {
            let option = format!("`temperature = {temperature}`");
            return Some(Refusal::new(option, format!("{who} takes 0 to {most}")));
        }
        if let Some(most) = self.stops.filter(|most| options.stop.len() > *most) {
            let option = format!("`stop` with {} texts", options.stop.len());
            return Some(Refusal::new(option, format!("{who} takes at most {most}")));
        }
        if let Some(Reasoning::Tokens(tokens)) = options.reasoning
            && tokens < self.reasoning_tokens
        {
            let option = format!("`reasoning = {tokens}`");
            let least = self.reasoning_tokens;
            let why = format!("{who} takes at least {least} tokens");
            return Some(Refusal::new(option, why));
        }
        self.metadata.check(options, who)
    }

    /// What the user says and is not taken.
    fn check_prompt(&self, messages: &Messages) -> Option<Refusal> {
        let nothing = || Refusal::new("an empty prompt", "it says nothing");
        if messages.is_empty() {
            return Some(nothing());
        }
        messages.iter().find_map(|message| match message {
            Message::User { parts } if parts.iter().all(is_blank) => Some(nothing()),
            Message::User { parts } => parts.iter().find_map(|part| self.check_part(part)),
            _ => None,
        })
    }

    /// Why a part of a prompt is not taken.
    fn check_part(&self, part: &Part) -> Option<Refusal> {
        let (kind, media, medium) = match part {
            Part::Image(image) => (MediaKind::Image, image, &self.images),
            Part::File(file) => (MediaKind::File, file, &self.files),
            Part::Text(_) if is_blank(part) => {
                let part = "a prompt with an empty text";
                return Some(Refusal::new(part, "leave that part out"));
            }
            Part::Text(_) => return None,
        };
        let Some(medium) = medium else {
            let why = format!("{} has no place for it", self.who);
            return Some(Refusal::new(kind.with_article(), why));
        };
        medium.check(kind, media, self.who)
    }
}

/// Whether a part is a text that says nothing: some providers refuse it, and no model can answer it.
fn is_blank(part: &Part) -> bool {
    part.as_text()
        .is_some_and(|text| text.as_str().trim().is_empty())
}

impl Metadata {
    fn check(&self, options: &ModelOptions, who: &str) -> Option<Refusal> {
        let metadata = &options.metadata;
        match self {
            Self::Any => None,
            Self::Only(keys) => {
                let other = metadata.keys().find(|key| !keys.contains(&key.as_str()))?;
                let takes = format!("{who} takes only {}", quoted(*keys));
                Some(Refusal::new(format!("`{other}` of `metadata`"), takes))
            }
            Self::UpTo { pairs, .. } if metadata.len() > *pairs => {
                let option = format!("`metadata` with {} keys", metadata.len());
                Some(Refusal::new(option, format!("{who} takes at most {pairs}")))
            }
            Self::UpTo { key, value, .. } => metadata.iter().find_map(|(name, text)| {
                let (name_len, text_len) = (name.chars().count(), text.chars().count());
                if name_len > *key {
                    let option = format!("a key of `metadata` with {name_len} characters");
                    return Some(Refusal::new(option, format!("{who} takes at most {key}")));
                }
                let option = format!("`{name}` of `metadata` with {text_len} characters");
                (text_len > *value)
                    .then(|| Refusal::new(option, format!("{who} takes at most {value}")))
            }),
        }
    }
}
