//! Where a server is, and how a request shows that it may ask.

use std::time::Duration;

use reqwest::{
    Url,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use secrecy::{ExposeSecret, SecretString};

use super::{
    config::{config_error, env},
    deadline::Deadline,
    key::{self, Credential},
};
use crate::model::{
    ModelError, ModelErrorKind, ModelUrl, Provider, Server,
    address::web_address,
    redact::{public_malformed_address, secrets_in_address},
    server::TokenSource,
};

/// The version of Anthropic's interface that is spoken.
const ANTHROPIC_VERSION: &str = "2026-10-21";

/// A server that can be reached.
pub(super) struct Endpoint {
    pub(super) provider: Provider,
    pub(super) base: Url,
    headers: HeaderMap,
    /// What is said where access is refused, if no key is sent.
    missing_key_help: Option<String>,
    token: Option<TokenSource>,
    /// How long the token may take.
    token_time: Duration,
    /// What must not be in any message.
    secrets: Vec<SecretString>,
}

/// What a request shows.
pub(super) struct Access {
    pub(super) headers: HeaderMap,
    /// The token of this request.
    pub(super) token: Option<SecretString>,
}

impl Endpoint {
    pub(super) fn new(server: &Server, url: &ModelUrl) -> Result<Self, ModelError> {
        let provider = server.provider;
        let credential = Credential::of(server, url.scheme())?;
        let base = base(server, url, &credential)?;
        let mut headers = HeaderMap::new();
        let mut secrets = Vec::new();
        for (name, value) in &server.headers {
            add(&mut headers, name, value)?;
            // A scheme such as `Bearer` may come before the secret itself.
            let words = value.expose_secret().split_whitespace();
            secrets.extend(words.map(SecretString::from));
            secrets.push(value.clone());
        }
        let missing_key_help = key::missing_key_help(&credential, server, &base, &headers);
        let (key, token) = match credential {
            Credential::Key(key) => (Some(key), None),
            Credential::Token(token) => (None, Some(token)),
            Credential::None => (None, None),
        };
        let mut all = provider_headers(provider, key.as_ref())?;
        all.extend(headers);
        secrets.extend(key);
        secrets.extend(secrets_in_address(&base));
        Ok(Self {
            provider,
            base,
            headers: all,
            missing_key_help,
            token,
            token_time: server.timeouts.token,
            secrets,
        })
    }

    /// The address of a path beneath the base, with the queries of both.
    pub(super) fn at(&self, path: &str) -> Result<Url, ModelError> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let queries = [self.base.query().unwrap_or_default(), query];
        let queries: Vec<&str> = queries.into_iter().filter(|it| !it.is_empty()).collect();
        let mut base = self.base.clone();
        base.set_query(None);
        base.set_fragment(None);
        let mut address = format!("{}{path}", base.as_str().trim_end_matches('/'));
        if !queries.is_empty() {
            address = format!("{address}?{}", queries.join("&"));
        }
        Url::parse(&address).map_err(|error| {
            config_error("the model's name makes no web address").with_source(error)
        })
    }

    /// What the next request shows; a token that may expire is asked for. Nothing has been sent yet, so
    /// no error here is one of a call that may have been paid for.
    pub(super) async fn access(&self, deadline: Deadline) -> Result<Access, ModelError> {
        let Some(source) = &self.token else {
            let headers = self.headers.clone();
            return Ok(Access {
                headers,
                token: None,
            });
        };
        let no_token = |what| ModelError::new(ModelErrorKind::Auth, what);
        let token = deadline.limit(self.token_time, source()).await;
        let token = token.map_err(|time| {
            no_token(format!("there was no access token within {time:?}"))
                .with_retryable(Some(true))
        })?;
        let token = token.map_err(|error| {
            no_token("the access token could not be obtained".to_owned()).with_source(error)
        })?;
        let token = key::checked_token(&token)?;
        let mut all = provider_headers(self.provider, Some(&token))?;
        all.extend(self.headers.clone());
        Ok(Access {
            headers: all,
            token: Some(token),
        })
    }

    /// An error of the server's, with why access was refused if it was, and without what the server was
    /// shown.
    pub(super) fn explained(&self, error: ModelError, token: Option<&SecretString>) -> ModelError {
        let error = error.with_why_refused(self.missing_key_help.as_deref());
        let secrets = self.secrets.iter().chain(token);
        error.without_secrets(secrets.map(|secret| secret.expose_secret()))
    }
}

/// The address beneath which a server is asked.
fn base(server: &Server, url: &ModelUrl, credential: &Credential) -> Result<Url, ModelError> {
    let provider = server.provider;
    let variable = provider.base_url_variable();
    let of_environment = variable
        .filter(|_| server.is_provider && server.base_url.is_none())
        .and_then(env);
    let whose = match (&of_environment, variable) {
        (Some(_), Some(variable)) => variable.to_owned(),
        _ => format!("the address of `{}`", url.scheme()),
    };
    let address = server.base_url.clone().or(of_environment);
    let address = match (address, url.host()) {
        (Some(address), _) => address,
        (None, Some((host, port))) if host.contains(':') => format!("http://[{host}]:{port}"),
        (None, Some((host, port))) => format!("http://{host}:{port}"),
        (None, None) => {
            if let (Credential::None, Some(name)) = (credential, provider.key_variable()) {
                return Err(config_error(format!(
                    "there is no key for {provider}: set `{name}`, or call `ClientFactory::with_key`; pass the factory to each run, also a restored one, with `with_factory`; in a test put a script into the context of each call with `with_dep`"
                )));
            }
            provider.base_url().to_owned()
        }
    };
    web_address(&address).ok_or_else(|| {
        let shown = public_malformed_address(&address);
        let meant = format!("http://{shown}");
        let meant = match web_address(&meant) {
            Some(_) => meant,
            None => "http://HOST:PORT".to_owned(),
        };
        config_error(format!(
            "{whose}, `{shown}`, is not a web address: write `{meant}`"
        ))
    })
}

/// What every request to a provider shows.
fn provider_headers(
    provider: Provider,
    key: Option<&SecretString>,
) -> Result<HeaderMap, ModelError> {
    let mut headers = HeaderMap::new();
    if provider == Provider::Anthropic {
        headers.insert(
            HeaderName::from_static("anthropic-version"),
            HeaderValue::from_static(ANTHROPIC_VERSION),
        );
    }
    headers.extend(key.map(|key| key::header(provider, key)).transpose()?);
    Ok(headers)
}

/// Adds a header of the user's.
fn add(headers: &mut HeaderMap, name: &str, value: &SecretString) -> Result<(), ModelError> {
    let key = HeaderName::try_from(name).map_err(|error| {
        config_error(format!("`{name}` is not a header")).with_told_source(error)
    })?;
    let mut value = HeaderValue::try_from(value.expose_secret()).map_err(|_| {
        config_error(format!(
            "the value of the header `{name}` holds characters that no header has"
        ))
    })?;
    value.set_sensitive(true);
    headers.insert(key, value);
    Ok(())
}
