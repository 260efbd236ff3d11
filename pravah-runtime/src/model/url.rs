//! Model URLs. The rules are few, so that the macros can check literals by the same ones:
//!
//! - A URL is `SCHEME://REST`.
//! - For `openai`, `openai-responses`, `anthropic`, `gemini` and `genai` the rest is the model's name.
//! - For `ollama` the rest is `HOST:PORT/MODEL`. The host is everything up to the first `/` and
//!   the only `:` before it, or an IPv6 address in brackets; the port is a number from 1 to 65535.
//! - A model's name may hold anything but white space, and is not empty.
//! - For any other scheme, a letter followed by letters, digits, `+`, `-` and `.`, the rest is for
//!   whoever registered it, and is not empty.

use std::{fmt, str::FromStr, sync::Arc};

use super::Provider;
use crate::quoted::{nearest, quoted};

/// The scheme of the crate `genai`.
pub(crate) const GENAI: &str = "genai";

/// The schemes that Pravah itself knows.
pub(crate) fn known<'a>() -> impl Iterator<Item = &'a str> {
    Provider::ALL
        .into_iter()
        .map(|provider| -> &'a str { provider.scheme() })
        .chain([GENAI])
}

/// Which model to ask, and where.
///
/// ```
/// use pravah_runtime::ModelUrl;
///
/// let url = ModelUrl::parse("ollama://localhost:11434/llama3:8b")?;
/// assert_eq!(url.scheme(), "ollama");
/// assert_eq!(url.host(), Some(("localhost", 11434)));
/// assert_eq!(url.model(), "llama3:8b");
/// # Ok::<(), pravah_runtime::ModelUrlError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelUrl {
    // Shared: each step of an agent has a clone.
    scheme: Arc<str>,
    host: Option<(Arc<str>, u16)>,
    model: Arc<str>,
}

/// Why a text is not a model URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelUrlError {
    /// There is no `SCHEME://` in front.
    #[error("`{url}` has no scheme: write `openai://MODEL`")]
    #[non_exhaustive]
    NoScheme {
        /// The text.
        url: String,
    },
    /// What is in front of `://` cannot be a scheme.
    #[error("`{scheme}` is not a scheme: {}", instead(.scheme))]
    #[non_exhaustive]
    BadScheme {
        /// What is there instead.
        scheme: String,
    },
    /// The scheme is none of those that are known.
    #[error("unknown model scheme `{scheme}`{}: the known ones are {}", did_you_mean(.scheme, .known), quoted(.known))]
    #[non_exhaustive]
    UnknownScheme {
        /// The scheme.
        scheme: String,
        /// The known ones.
        known: Vec<String>,
    },
    /// The URL names no model, or one with white space in its name.
    #[error("`{url}` names no model{}", white_space(.url))]
    #[non_exhaustive]
    NoModel {
        /// The URL.
        url: String,
    },
    /// The URL has no host and port where its scheme needs them.
    #[error("`{url}` names no host and port: write `ollama://HOST:PORT/MODEL`")]
    #[non_exhaustive]
    NoHost {
        /// The URL.
        url: String,
    },
    /// The port is not a number from 1 to 65535.
    #[error("`{port}` is not a port: it is a number from 1 to 65535")]
    #[non_exhaustive]
    BadPort {
        /// What is there instead.
        port: String,
    },
}

impl ModelUrl {
    /// Reads a URL of one of the schemes `openai`, `openai-responses`, `anthropic`, `gemini`,
    /// `ollama` and `genai`.
    ///
    /// # Errors
    ///
    /// [`ModelUrlError`] says which part is wrong.
    pub fn parse(url: &str) -> Result<Self, ModelUrlError> {
        let parsed = Self::custom(url)?;
        parsed.check_scheme(known())?;
        Ok(parsed)
    }

    /// Reads a URL of any scheme. Schemes that Pravah does not know are to be
    /// [registered](super::ClientFactory::register) before the model is asked.
    ///
    /// # Errors
    ///
    /// [`ModelUrlError`] says which part is wrong.
    pub fn custom(url: &str) -> Result<Self, ModelUrlError> {
        let no_scheme = || ModelUrlError::NoScheme {
            url: url.to_owned(),
        };
        let no_model = || ModelUrlError::NoModel {
            url: url.to_owned(),
        };
        let (scheme, rest) = url.split_once("://").ok_or_else(no_scheme)?;
        if scheme.is_empty() {
            return Err(no_scheme());
        }
        check_scheme_name(scheme)?;
        let (host, model) = if scheme == Provider::Ollama.scheme() {
            let (host, model) = rest.split_once('/').unwrap_or((rest, ""));
            (Some(host_and_port(url, host)?), model)
        } else {
            (None, rest)
        };
        if model.is_empty() || model.contains(char::is_whitespace) {
            return Err(no_model());
        }
        Ok(Self {
            scheme: scheme.into(),
            host,
            model: model.into(),
        })
    }

    /// The part before `://`.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// The host and port of an `ollama` URL; IPv6 addresses without brackets.
    pub fn host(&self) -> Option<(&str, u16)> {
        self.host.as_ref().map(|(host, port)| (&**host, *port))
    }

    /// The model's name; for schemes of your own, everything after `://`.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Whether the scheme is one of `known`.
    pub(crate) fn check_scheme<'a>(
        &self,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), ModelUrlError> {
        let mut names: Vec<String> = Vec::new();
        for name in known {
            if name == &*self.scheme {
                return Ok(());
            }
            if !names.iter().any(|there| there == name) {
                names.push(name.to_owned());
            }
        }
        Err(ModelUrlError::UnknownScheme {
            scheme: self.scheme.to_string(),
            known: names,
        })
    }
}

impl FromStr for ModelUrl {
    type Err = ModelUrlError;

    fn from_str(url: &str) -> Result<Self, Self::Err> {
        Self::parse(url)
    }
}

impl fmt::Display for ModelUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://", self.scheme)?;
        match &self.host {
            Some((host, port)) if host.contains(':') => write!(f, "[{host}]:{port}/")?,
            Some((host, port)) => write!(f, "{host}:{port}/")?,
            None => {}
        }
        f.write_str(&self.model)
    }
}

/// Whether a text can be a scheme, known or not.
pub(super) fn check_scheme_name(scheme: &str) -> Result<(), ModelUrlError> {
    match is_scheme(scheme) {
        true => Ok(()),
        false => Err(ModelUrlError::BadScheme {
            scheme: scheme.to_owned(),
        }),
    }
}

/// What to write in place of a text that is no scheme.
fn instead(text: &str) -> String {
    match text.split_once(':') {
        Some((scheme, _)) if is_scheme(scheme) => format!("write `{scheme}`"),
        _ => "it has a letter, and then letters, digits, `+`, `-` and `.`".to_owned(),
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

fn host_and_port(url: &str, text: &str) -> Result<(Arc<str>, u16), ModelUrlError> {
    let no_host = || ModelUrlError::NoHost {
        url: url.to_owned(),
    };
    let bracketed = text.starts_with('[');
    let (host, port) = match text.strip_prefix('[') {
        Some(text) => {
            let (host, after) = text.split_once(']').ok_or_else(no_host)?;
            host.parse::<std::net::Ipv6Addr>().map_err(|_| no_host())?;
            (host, after.strip_prefix(':').ok_or_else(no_host)?)
        }
        None => text.rsplit_once(':').ok_or_else(no_host)?,
    };
    // `ollama://http://HOST:PORT/MODEL` has a scheme too many.
    let is_scheme = matches!(host, "http" | "https") && port.is_empty();
    let is_host = !host.is_empty() && !host.contains(char::is_whitespace) && !is_scheme;
    if !is_host || host.contains(':') != bracketed {
        return Err(no_host());
    }
    let digits = port.bytes().all(|b| b.is_ascii_digit());
    match port.parse() {
        Ok(number) if digits && number != 0 => Ok((host.into(), number)),
        _ => Err(ModelUrlError::BadPort {
            port: port.to_owned(),
        }),
    }
}

/// Why a URL names no model that names something.
fn white_space(url: &str) -> &'static str {
    match url.trim_end().contains(char::is_whitespace) {
        true => ": a name has no white space in it",
        false => "",
    }
}

/// A hint at the known scheme that was probably meant.
fn did_you_mean(scheme: &str, known: &[String]) -> String {
    nearest(scheme, known.iter().map(String::as_str))
        .map(|name| format!(", did you mean `{name}`?"))
        .unwrap_or_default()
}
