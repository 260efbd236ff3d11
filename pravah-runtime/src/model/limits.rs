//! What the interface of each provider takes, as its vendor documents it: whatever it does not take is an
//! error before anything is sent. A limit that no vendor documents is not here; what single models
//! refuse is in [`known`](super::known).

use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::{
    Media, Message, ModelError, ModelErrorKind, ModelOptions, ModelRequest, Part, Reasoning, known,
    options::Setting,
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

/// How images or files are taken.
struct Medium {
    types: Types,
    /// Whether the provider fetches them from an address.
    by_address: bool,
}

enum Types {
    Any,
    Only(&'static [&'static str]),
    /// None that starts like these.
    NotOf(&'static [&'static str]),
}

const UNLIMITED: Limits = Limits {
    who: "",
    no_place: &[],
    temperature: None,
    stops: None,
    metadata: Metadata::Any,
    reasoning_tokens: 0,
    images: Some(Medium {
        types: Types::Any,
        by_address: true,
    }),
    files: Some(Medium {
        types: Types::Any,
        by_address: true,
    }),
};

/// Servers that speak chat completions: of theirs only the interface is known.
pub(super) const COMPATIBLE: Limits = Limits {
    who: "the interface of chat completions",
    no_place: &[Setting::ReasoningTokens],
    files: Some(Medium {
        types: Types::Any,
        by_address: false,
    }),
    ..UNLIMITED
};

/// <https://developers.openai.com/api/docs/guides/images-vision>
const OPENAI_IMAGES: Types = Types::Only(&["image/png", "image/jpeg", "image/webp", "image/gif"]);

/// Documents, presentations, spreadsheets, text and code.
/// <https://developers.openai.com/api/docs/guides/file-inputs>
const OPENAI_FILES: Types = Types::NotOf(&["image/", "audio/", "video/"]);

/// What both interfaces of OpenAI take.
const OPENAI: Limits = Limits {
    who: "OpenAI",
    temperature: Some(2.0),
    metadata: Metadata::UpTo {
        pairs: 16,
        key: 64,
        value: 512,
    },
    images: Some(Medium {
        types: OPENAI_IMAGES,
        by_address: true,
    }),
    files: Some(Medium {
        types: OPENAI_FILES,
        by_address: true,
    }),
    ..UNLIMITED
};

/// <https://platform.openai.com/docs/api-reference/chat/create>
pub(super) const CHAT: Limits = Limits {
    no_place: COMPATIBLE.no_place,
    stops: Some(4),
    files: Some(Medium {
        types: OPENAI_FILES,
        by_address: false,
    }),
    ..OPENAI
};

/// <https://platform.openai.com/docs/api-reference/responses/create>
pub(super) const RESPONSES: Limits = Limits {
    who: "OpenAI's Responses",
    no_place: &[Setting::ReasoningTokens, Setting::Seed, Setting::Stop],
    ..OPENAI
};

/// This version of the interface does not sample.
/// <https://platform.claude.com/docs/en/api/messages>,
/// <https://platform.claude.com/docs/en/build-with-claude/extended-thinking> for the reasoning,
/// <https://platform.claude.com/docs/en/build-with-claude/vision> and `/pdf-support` for the types.
pub(super) const ANTHROPIC: Limits = Limits {
    who: "Anthropic",
    no_place: &[Setting::Temperature, Setting::TopP, Setting::Seed],
    metadata: Metadata::Only(&["user_id"]),
    reasoning_tokens: 1_024,
    images: Some(Medium {
        types: Types::Only(&["image/jpeg", "image/png", "image/gif", "image/webp"]),
        by_address: true,
    }),
    files: Some(Medium {
        types: Types::Only(&["application/pdf", PLAIN_TEXT]),
        by_address: true,
    }),
    ..UNLIMITED
};

/// What Anthropic takes as a text, and not as bytes.
pub(super) const PLAIN_TEXT: &str = "text/plain";

/// <https://ai.google.dev/api/generate-content#generationconfig>,
/// <https://ai.google.dev/gemini-api/docs/image-understanding> for the types.
pub(super) const GEMINI: Limits = Limits {
    who: "Gemini",
    no_place: &[Setting::Metadata],
    temperature: Some(2.0),
    stops: Some(5),
    images: Some(Medium {
        types: Types::Only(&[
            "image/png",
            "image/jpeg",
            "image/webp",
            "image/heic",
            "image/heif",
        ]),
        by_address: true,
    }),
    ..UNLIMITED
};

/// <https://docs.ollama.com/api/chat>
pub(super) const OLLAMA: Limits = Limits {
    who: "Ollama",
    no_place: &[
        Setting::ForcedTools,
        Setting::ReasoningTokens,
        Setting::Metadata,
    ],
    images: Some(Medium {
        types: Types::Any,
        by_address: false,
    }),
    files: None,
    ..UNLIMITED
};

#[cfg(feature = "genai")]
pub(super) const GENAI: Limits = Limits {
    who: "the crate `genai`",
    no_place: &[Setting::Metadata],
    ..UNLIMITED
};

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
    let parts = request.messages.iter().flat_map(|message| match message {
        Message::User { parts } => parts.as_slice(),
        _ => &[],
    });
    let model = &request.model;
    let problem = limits
        .beyond(&request.options)
        .map(|(option, takes)| format!("{option} cannot be set for `{model}`: {takes}"));
    let problem = problem.or_else(|| {
        let mut problems = parts.filter_map(|part| limits.lacks(part));
        let (part, takes) = problems.next()?;
        Some(format!("`{model}` cannot be sent {part}: {takes}"))
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

/// What is not taken, and what is taken instead.
type Problem = (String, String);

impl Limits {
    /// The option whose value is out of bounds.
    fn beyond(&self, options: &ModelOptions) -> Option<Problem> {
        let who = self.who;
        if let (Some(most), Some(temperature)) = (self.temperature, options.temperature)
            && temperature > most
        {
            let option = format!("`temperature = {temperature}`");
            return Some((option, format!("{who} takes 0 to {most}")));
        }
        if let Some(most) = self.stops.filter(|most| options.stop.len() > *most) {
            let option = format!("`stop` with {} texts", options.stop.len());
            return Some((option, format!("{who} takes at most {most}")));
        }
        if let Some(Reasoning::Tokens(tokens)) = options.reasoning
            && tokens < self.reasoning_tokens
        {
            let option = format!("`reasoning = {tokens}`");
            let least = self.reasoning_tokens;
            return Some((option, format!("{who} takes at least {least} tokens")));
        }
        self.metadata.beyond(options, who)
    }

    /// The part of a prompt that is not taken.
    fn lacks(&self, part: &Part) -> Option<Problem> {
        let (what, media, medium) = match part {
            Part::Image(image) => ("image", image, &self.images),
            Part::File(file) => ("file", file, &self.files),
            Part::Text(_) => return None,
        };
        let Some(medium) = medium else {
            let none = format!("{} has no place for it", self.who);
            return Some((format!("{} {what}", article(what)), none));
        };
        medium.lacks(what, media, self.who)
    }
}

impl Metadata {
    fn beyond(&self, options: &ModelOptions, who: &str) -> Option<Problem> {
        let metadata = &options.metadata;
        match self {
            Self::Any => None,
            Self::Only(keys) => {
                let other = metadata.keys().find(|key| !keys.contains(&key.as_str()))?;
                let takes = format!("{who} takes only {}", quoted(*keys));
                Some((format!("`{other}` of `metadata`"), takes))
            }
            Self::UpTo { pairs, .. } if metadata.len() > *pairs => {
                let option = format!("`metadata` with {} keys", metadata.len());
                Some((option, format!("{who} takes at most {pairs}")))
            }
            Self::UpTo { key, value, .. } => metadata.iter().find_map(|(name, text)| {
                let (name_len, text_len) = (name.chars().count(), text.chars().count());
                if name_len > *key {
                    let option = format!("a key of `metadata` with {name_len} characters");
                    return Some((option, format!("{who} takes at most {key}")));
                }
                let option = format!("`{name}` of `metadata` with {text_len} characters");
                (text_len > *value).then(|| (option, format!("{who} takes at most {value}")))
            }),
        }
    }
}

fn article(what: &str) -> &'static str {
    if what == "image" { "an" } else { "a" }
}

impl Medium {
    fn lacks(&self, what: &str, media: &Media, who: &str) -> Option<Problem> {
        let an = article(what);
        let media_type = media.media_type().map(essence);
        if let Some(given) = media_type.as_deref().filter(|it| !is_media_type(it)) {
            let wrong = format!("{an} {what} of the type `{given}`");
            return Some((
                wrong,
                "it is not a media type such as `image/png`".to_owned(),
            ));
        }
        if let Some(address) = media.address() {
            if !self.by_address {
                let takes = format!("{who} takes only bytes, not addresses");
                return Some((format!("{an} {what} by its address"), takes));
            }
            if !is_web_address(address) {
                // The rest of an address may hold what nobody is to read.
                let (scheme, _) = address.split_once(':').unwrap_or_default();
                let scheme: String = scheme.chars().take(MAX_SCHEME).collect();
                let at = match scheme.as_str() {
                    "" => "no web address".to_owned(),
                    "http" | "https" => "an address without a host".to_owned(),
                    other => format!("a `{other}:` address"),
                };
                let takes = format!("{who} fetches only `http:` and `https:` addresses");
                return Some((format!("{an} {what} at {at}"), takes));
            }
        }
        let media_type = media_type?;
        let is_text = media_type == PLAIN_TEXT;
        let wrong = || format!("{an} {what} of the type `{media_type}`");
        match self.types {
            Types::Any | Types::NotOf(_)
                if what == "image" && !media_type.starts_with("image/") =>
            {
                Some((wrong(), "that is no image".to_owned()))
            }
            Types::Any => None,
            Types::NotOf(types) => {
                let not_taken = types.iter().any(|it| media_type.starts_with(it));
                not_taken.then(|| (wrong(), format!("{who} takes no such files")))
            }
            Types::Only(types) if !types.contains(&media_type.as_str()) => {
                Some((wrong(), format!("{who} takes {}", quoted(types))))
            }
            Types::Only(_) if is_text && media.address().is_none() && text_of(media).is_none() => {
                Some((wrong(), "it is not UTF-8".to_owned()))
            }
            Types::Only(_) => None,
        }
    }
}

const MAX_SCHEME: usize = 20;

/// A media type without its parameters.
fn essence(media_type: &str) -> String {
    let essence = match media_type.split_once(';') {
        Some((essence, _parameters)) => essence.trim_end_matches(' '),
        None => media_type,
    };
    essence.to_ascii_lowercase()
}

/// `type/subtype`, by [RFC 6838](https://www.rfc-editor.org/rfc/rfc6838#section-4.2).
fn is_media_type(text: &str) -> bool {
    let is_name = |name: &str| {
        let is_taken = |c: char| c.is_ascii_alphanumeric() || "!#$&-^_.+".contains(c);
        !name.is_empty() && name.chars().all(is_taken)
    };
    text.split_once('/')
        .is_some_and(|(kind, name)| is_name(kind) && is_name(name))
}

fn is_web_address(text: &str) -> bool {
    // The parser leaves white space out, and what is sent has it.
    !text.contains(char::is_whitespace)
        && reqwest::Url::parse(text)
            .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// The text of a plain text file that is sent as one.
pub(super) fn text_of(file: &Media) -> Option<String> {
    if file.media_type().map(essence).as_deref() != Some(PLAIN_TEXT) {
        return None;
    }
    let bytes = BASE64_STANDARD.decode(file.base64()?).ok()?;
    String::from_utf8(bytes).ok()
}
