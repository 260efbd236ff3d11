//! Where a provider is, and how a request shows that it may ask.

use reqwest::{
    Url,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
};
use secrecy::{ExposeSecret, SecretString};

use crate::model::{ModelError, ModelErrorKind, ModelUrl, Provider};

/// The version of Anthropic's interface that is spoken.
const ANTHROPIC_VERSION: &str = "2026-10-21";

/// What a user sets up for a provider; what is not given comes from the environment.
#[derive(Clone, Debug, Default)]
pub(in crate::model) struct Settings {
    pub(in crate::model) key: Option<SecretString>,
    pub(in crate::model) base_url: Option<String>,
}

/// A provider that can be reached.
pub(super) struct Endpoint {
    pub(super) base: Url,
    pub(super) headers: HeaderMap,
    /// What must not be in any message.
    pub(super) key: Option<SecretString>,
}

impl Endpoint {
    pub(super) fn new(
        provider: Provider,
        settings: &Settings,
        url: &ModelUrl,
    ) -> Result<Self, ModelError> {
        let key = settings.key.clone().or_else(|| {
            let name = provider.key_variable()?;
            env(name).map(SecretString::from)
        });
        let given = settings
            .base_url
            .clone()
            .or_else(|| provider.base_url_variable().and_then(env));
        let base = match (given, url.host()) {
            (Some(base), _) => base,
            (None, Some((host, port))) if host.contains(':') => format!("http://[{host}]:{port}"),
            (None, Some((host, port))) => format!("http://{host}:{port}"),
            (None, None) => {
                if let (None, Some(name)) = (&key, provider.key_variable()) {
                    return Err(config(format!("{name} is not set")));
                }
                provider.base_url().to_owned()
            }
        };
        let base = Url::parse(base.trim_end_matches('/'))
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && !url.cannot_be_a_base())
            .ok_or_else(|| match provider.base_url_variable() {
                Some(name) => config(format!("{name} is not a web address")),
                None => config(format!("the host of `{url}` is not one")),
            })?;
        Ok(Self {
            base,
            headers: headers(provider, key.as_ref())?,
            key,
        })
    }

    /// The address of a path beneath the base.
    pub(super) fn at(&self, path: &str) -> Result<Url, ModelError> {
        let base = self.base.as_str().trim_end_matches('/');
        Url::parse(&format!("{base}{path}"))
            .map_err(|error| config("the model's name makes no web address").with_source(error))
    }
}

fn env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn headers(provider: Provider, key: Option<&SecretString>) -> Result<HeaderMap, ModelError> {
    let mut headers = HeaderMap::new();
    if provider == Provider::Anthropic {
        headers.insert(
            HeaderName::from_static("anthropic-version"),
            HeaderValue::from_static(ANTHROPIC_VERSION),
        );
    }
    let Some(key) = key.map(|key| key.expose_secret().trim()) else {
        return Ok(headers);
    };
    let (name, value) = match provider {
        Provider::OpenAi | Provider::OpenAiResponses | Provider::Ollama => {
            (AUTHORIZATION, format!("Bearer {key}"))
        }
        Provider::Anthropic => (HeaderName::from_static("x-api-key"), key.to_owned()),
        Provider::Gemini => (HeaderName::from_static("x-goog-api-key"), key.to_owned()),
    };
    let mut value = HeaderValue::try_from(value).map_err(|_| {
        config(format!(
            "the key for {provider} holds characters that no key has"
        ))
    })?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok(headers)
}

pub(super) fn config(message: impl Into<String>) -> ModelError {
    ModelError::new(ModelErrorKind::Config, message)
}
