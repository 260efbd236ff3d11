//! Images and files: which of them an interface takes.

use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::Problem;
use crate::{model::Media, quoted::quoted};

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

pub(super) fn article(what: &str) -> &'static str {
    if what == "image" { "an" } else { "a" }
}

impl Medium {
    pub(super) fn lacks(&self, what: &str, media: &Media, who: &str) -> Option<Problem> {
        if media.base64().is_some_and(str::is_empty) {
            return Some((format!("an empty {what}"), "it has no bytes".to_owned()));
        }
        let an = article(what);
        let media_type = media.media_type().map(essence);
        if let Some(other) = media_type.as_deref().filter(|it| !is_media_type(it)) {
            let wrong = format!("{an} {what} of the type `{other}`");
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
pub(in crate::model) fn text_of(file: &Media) -> Option<String> {
    if file.media_type().map(essence).as_deref() != Some(PLAIN_TEXT) {
        return None;
    }
    let bytes = BASE64_STANDARD.decode(file.base64()?).ok()?;
    String::from_utf8(bytes).ok()
}
