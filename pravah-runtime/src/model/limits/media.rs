//! Images and files: which of them an interface takes.

use std::fmt;

use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::Refusal;
use crate::{
    model::{Media, address::web_address},
    quoted::quoted,
};

/// What Anthropic takes as a text, and not as bytes.
pub(in crate::model) const PLAIN_TEXT: &str = "text/plain";

/// How images or files are taken.
pub(super) struct Medium {
    pub(super) types: Types,
    /// Whether the provider fetches them from an address.
    pub(super) by_address: bool,
}

pub(super) enum Types {
    Any,
    Only(&'static [&'static str]),
    /// None that starts like these.
    NotOf(&'static [&'static str]),
}

/// What a part of a prompt is, beside texts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MediaKind {
    Image,
    File,
}

impl MediaKind {
    /// Its name after an article.
    pub(super) fn with_article(self) -> &'static str {
        match self {
            Self::Image => "an image",
            Self::File => "a file",
        }
    }
}

impl fmt::Display for MediaKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Image => "image",
            Self::File => "file",
        })
    }
}

impl Medium {
    /// Why an image or a file is refused.
    pub(super) fn check(&self, kind: MediaKind, media: &Media, who: &str) -> Option<Refusal> {
        if media.base64().is_some_and(str::is_empty) {
            return Some(Refusal::new(format!("an empty {kind}"), "it has no bytes"));
        }
        let media_type = media.media_type().map(essence);
        if let Some(other) = media_type.as_deref().filter(|it| !is_media_type(it)) {
            let why = "it is not a media type such as `image/png`";
            return Some(refused_type(kind, other, why));
        }
        if let Some(address) = media.address()
            && let Some(refusal) = self.check_address(kind, address, who)
        {
            return Some(refusal);
        }
        let media_type = media_type?;
        let why = self.check_type(kind, &media_type, media, who)?;
        Some(refused_type(kind, &media_type, why))
    }

    fn check_address(&self, kind: MediaKind, address: &str, who: &str) -> Option<Refusal> {
        let named = kind.with_article();
        if !self.by_address {
            let why = format!("{who} takes only bytes, not addresses");
            return Some(Refusal::new(format!("{named} by its address"), why));
        }
        if is_web_address(address) {
            return None;
        }
        // The rest of an address may hold what nobody is to read.
        let (scheme, _) = address.split_once(':').unwrap_or_default();
        let scheme: String = scheme.chars().take(MAX_SCHEME).collect();
        let what = match scheme.as_str() {
            "" => format!("{named} whose address is not a web address"),
            "http" | "https" => format!("{named} at an address without a host"),
            other => format!("{named} at a `{other}:` address"),
        };
        let why = format!("{who} fetches only `http:` and `https:` addresses");
        Some(Refusal::new(what, why))
    }

    /// Why images or files of a type are refused.
    fn check_type(
        &self,
        kind: MediaKind,
        media_type: &str,
        media: &Media,
        who: &str,
    ) -> Option<String> {
        let is_image = media_type.starts_with("image/");
        match self.types {
            Types::Any | Types::NotOf(_) if kind == MediaKind::Image && !is_image => {
                Some("it is not an image".to_owned())
            }
            Types::Any => None,
            Types::NotOf(types) => {
                let is_refused = types.iter().any(|it| media_type.starts_with(it));
                is_refused.then(|| format!("{who} takes no such files"))
            }
            Types::Only(types) if !types.contains(&media_type) => {
                Some(format!("{who} takes {}", quoted(types)))
            }
            Types::Only(_) => {
                let is_text = media_type == PLAIN_TEXT && media.address().is_none();
                (is_text && text_of(media).is_none()).then(|| "it is not UTF-8".to_owned())
            }
        }
    }
}

fn refused_type(kind: MediaKind, media_type: &str, why: impl Into<String>) -> Refusal {
    let what = format!("{} of the type `{media_type}`", kind.with_article());
    Refusal::new(what, why)
}

/// How much is shown of the scheme of an address, in characters.
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
    !text.contains(char::is_whitespace) && web_address(text).is_some()
}

/// The text of a plain text file that is sent as one.
pub(in crate::model) fn text_of(file: &Media) -> Option<String> {
    if file.media_type().map(essence).as_deref() != Some(PLAIN_TEXT) {
        return None;
    }
    let bytes = BASE64_STANDARD.decode(file.base64()?).ok()?;
    String::from_utf8(bytes).ok()
}
