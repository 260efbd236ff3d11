//! Model URLs that are literals.

use std::net::Ipv6Addr;

use proc_macro2::Span;

use super::words::{did_you_mean, list};
use crate::diag::Diagnostics;

const SCHEMES: [(&str, Provider); 6] = [
    ("openai", Provider::OpenAi),
    ("openai-responses", Provider::OpenAi),
    ("anthropic", Provider::Anthropic),
    ("gemini", Provider::Gemini),
    ("ollama", Provider::Ollama),
    ("genai", Provider::Genai),
];

/// What others call a provider.
const OTHER_NAMES: [(&str, Provider); 5] = [
    ("claude", Provider::Anthropic),
    ("google", Provider::Gemini),
    ("google-gla", Provider::Gemini),
    ("google-genai", Provider::Gemini),
    ("google-vertex", Provider::Gemini),
];

/// How the names of a provider's models start.
const MODEL_PREFIXES: [(&str, Provider); 3] = [
    ("gpt-", Provider::OpenAi),
    ("claude-", Provider::Anthropic),
    ("gemini-", Provider::Gemini),
];

/// Who serves a model, where a literal URL says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Provider {
    OpenAi,
    Anthropic,
    Gemini,
    Ollama,
    /// Whoever the model's name leads to.
    Genai,
}

impl Provider {
    /// The first of its schemes.
    pub(super) fn scheme(self) -> &'static str {
        let mut schemes = SCHEMES.iter();
        schemes
            .find(|(_, it)| *it == self)
            .map_or("", |(scheme, _)| scheme)
    }
}

/// Checks `SCHEME://MODEL`, or for Ollama `ollama://HOST:PORT/MODEL`.
pub(crate) fn check(url: &str, span: Span, errors: &mut Diagnostics) -> Option<Provider> {
    let known = SCHEMES.map(|(scheme, _)| scheme);
    let Some((scheme, rest)) = url.split_once("://") else {
        errors.error(
            span,
            format!("`{url}` has no scheme"),
            format!("write {}; the schemes are {}", url_for(url), list(&known)),
        );
        return None;
    };
    let Some((_, provider)) = SCHEMES.into_iter().find(|(known, _)| *known == scheme) else {
        let near = match scheme_called(scheme) {
            Some(scheme) => format!("did you mean `{scheme}`? "),
            None => did_you_mean(scheme, &known),
        };
        errors.error(
            span,
            format!("`{scheme}` is not a model scheme"),
            format!(
                "{near}the schemes are {}; one that you register is written `custom(\"{url}\")`",
                list(&known)
            ),
        );
        return None;
    };
    let model = match provider {
        Provider::Ollama => host_and_model(url, rest, span, errors)?,
        _ => rest,
    };
    if model.is_empty() || model.contains(char::is_whitespace) {
        let why = match model.trim().is_empty() {
            true => "",
            false => ": a name has no white space in it",
        };
        errors.error(
            span,
            format!("`{url}` names no model{why}"),
            format!("write `{scheme}://{}MODEL`", host(provider)),
        );
        return None;
    }
    Some(provider)
}

/// The scheme that `name` is, or that of the provider which others call so.
fn scheme_called(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase().replace('_', "-");
    let scheme = SCHEMES.iter().find(|(scheme, _)| *scheme == name);
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == name);
    let scheme = scheme.map(|(scheme, _)| *scheme);
    scheme.or_else(|| other.map(|(_, provider)| provider.scheme()))
}

/// What to write for a model that is named without a scheme: `openai/gpt-4o`, `openai:gpt-4o` or `gpt-4o`.
fn url_for(text: &str) -> String {
    let (name, model) = text.split_once(['/', ':']).unwrap_or((text, ""));
    let model = model.trim_start_matches('/');
    let lower = text.to_lowercase();
    let of_provider = MODEL_PREFIXES
        .iter()
        .find(|(prefix, _)| lower.starts_with(prefix));
    let (scheme, model) = match (scheme_called(name), of_provider) {
        (Some(scheme), _) if model.is_empty() => (scheme, "MODEL"),
        (Some(scheme), _) => (scheme, model),
        (None, Some((_, provider))) => (provider.scheme(), text),
        (None, None) => ("openai", "MODEL"),
    };
    let host = if scheme == "ollama" {
        "localhost:11434/"
    } else {
        ""
    };
    format!("`{scheme}://{host}{model}`")
}

fn host(provider: Provider) -> &'static str {
    match provider {
        Provider::Ollama => "HOST:PORT/",
        _ => "",
    }
}

/// Checks `HOST:PORT/` and returns what follows it.
fn host_and_model<'a>(
    url: &str,
    rest: &'a str,
    span: Span,
    errors: &mut Diagnostics,
) -> Option<&'a str> {
    let (host, model) = rest.split_once('/').unwrap_or((rest, ""));
    let bad = |errors: &mut Diagnostics, fact: String| {
        let model = match rest.split_once('/') {
            Some((_, model)) if !model.is_empty() => model,
            None if !matches!(rest, "" | "localhost") => rest,
            _ => "MODEL",
        };
        let help = format!("write `ollama://localhost:11434/{model}`");
        errors.error(span, fact, help);
        None
    };
    let Some((name, port)) = host.rsplit_once(':').filter(|(name, _)| !name.is_empty()) else {
        return bad(errors, format!("`{url}` has no host and port"));
    };
    let bracketed = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    let fact = match bracketed {
        Some(address) if address.parse::<Ipv6Addr>().is_err() => {
            Some(format!("`{address}` is not an IPv6 address"))
        }
        None if name.contains(':') => Some(format!(
            "`{name}` is not a host: an IPv6 address is written in brackets"
        )),
        None if name.contains(char::is_whitespace) || name.contains(['[', ']']) => {
            Some(format!("`{name}` is not a host"))
        }
        _ => None,
    };
    if let Some(fact) = fact {
        return bad(errors, fact);
    }
    let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    match port.parse::<u16>() {
        Ok(1..) if digits => Some(model),
        _ => bad(errors, format!("`{port}` is not a port")),
    }
}
