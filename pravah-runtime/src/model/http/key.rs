//! The key that a request shows: where it comes from, and what is said where there is none.

use reqwest::{
    Url,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
};
use secrecy::{ExposeSecret, SecretString};

use super::config::{config_error, env};
use crate::model::{
    ModelError, Provider, Server,
    server::{Key, TokenSource},
};

/// What proves that a request is allowed.
pub(super) enum Credential {
    Key(SecretString),
    /// Asked for before each request.
    Token(TokenSource),
    None,
}

impl Credential {
    /// That of a server: its own, or the key of the environment. `scheme` is that of its model URLs.
    pub(super) fn of(server: &Server, scheme: &str) -> Result<Self, ModelError> {
        let provider = server.provider;
        let variable = provider.key_variable().filter(|_| server.is_provider);
        Ok(match (&server.key, variable) {
            (Some(Key::Token(token)), _) => Self::Token(token.clone()),
            (Some(Key::Fixed(key)), variable) => {
                let whose = match (server.is_provider, variable) {
                    (true, Some(name)) => {
                        format!("the key for {provider}, set in place of `{name}`,")
                    }
                    (true, None) => format!("the key for {provider}"),
                    (false, _) => format!("the key for the server of `{scheme}`"),
                };
                Self::Key(checked(key.expose_secret(), &whose)?)
            }
            (None, Some(name)) => match env(name) {
                Some(key) => {
                    let whose = format!("the key for {provider}, `{name}`,");
                    Self::Key(checked(&key, &whose)?)
                }
                None => Self::None,
            },
            (None, None) => Self::None,
        })
    }
}

/// A token, as the source has returned it.
pub(super) fn checked_token(token: &str) -> Result<SecretString, ModelError> {
    checked(token, "the access token")
}

/// A key without the white space around it, such as the line end of the file that it was read from.
fn checked(key: &str, whose: &str) -> Result<SecretString, ModelError> {
    let key = key.trim();
    if key.is_empty() {
        return Err(config_error(format!("{whose} is blank")));
    }
    if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(config_error(format!(
            "{whose} holds characters that no key has, such as white space"
        )));
    }
    Ok(key.into())
}

/// The header that shows a key to a provider.
pub(super) fn header(
    provider: Provider,
    key: &SecretString,
) -> Result<(HeaderName, HeaderValue), ModelError> {
    let key = key.expose_secret();
    let (name, value) = match provider {
        Provider::OpenAi | Provider::OpenAiResponses | Provider::Ollama => {
            (AUTHORIZATION, format!("Bearer {key}"))
        }
        Provider::Anthropic => (HeaderName::from_static("x-api-key"), key.to_owned()),
        Provider::Gemini => (HeaderName::from_static("x-goog-api-key"), key.to_owned()),
    };
    let mut value = HeaderValue::try_from(value).map_err(|error| {
        config_error("the key cannot be sent in a header").with_told_source(error)
    })?;
    value.set_sensitive(true);
    Ok((name, value))
}

/// What is said where a server refuses access to a request without any key; nothing if the address, a
/// header or an HTTP client of the user's may show one.
pub(super) fn missing_key_help(
    credential: &Credential,
    server: &Server,
    base: &Url,
    headers: &HeaderMap,
) -> Option<String> {
    let is_key = |name: &HeaderName| {
        let words = ["auth", "key", "token", "secret", "cookie"];
        words.iter().any(|word| name.as_str().contains(word))
    };
    #[cfg(feature = "reqwest")]
    let has_own_client = server.http_client.is_some();
    #[cfg(not(feature = "reqwest"))]
    let has_own_client = false;
    let may_have_one = !matches!(credential, Credential::None)
        || has_own_client
        || base.password().is_some()
        || base.query().is_some()
        || headers.keys().any(is_key);
    if may_have_one {
        return None;
    }
    let help = match (server.is_provider, server.provider.key_variable()) {
        (true, Some(name)) => format!("set `{name}`, or call `ClientFactory::with_key`"),
        (true, None) => "call `ClientFactory::with_key`".to_owned(),
        (false, _) => "call `Server::key`".to_owned(),
    };
    Some(format!("no key was sent: {help}"))
}
