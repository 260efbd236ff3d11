//! The network beneath OpenAI's chat completions.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, SystemTime},
};

use reqwest::{
    Client, Response, Url,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue},
    redirect,
};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use rustls_platform_verifier::BuilderVerifierExt as _;

use super::{
    ModelClient, ModelError, ModelErrorKind, ModelFuture, ModelRequest, ModelResponse,
    openai::{self, Hints},
};
use crate::error::BoxError;

const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Models may think for long before the first byte comes.
const TOTAL_TIMEOUT: Duration = Duration::from_secs(600);
/// The longest answer that is read, in bytes.
const MAX_BODY: usize = 16 << 20;
/// The longest wait that a server may ask for.
const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// A secret; it prints as dots.
#[derive(Clone)]
pub(super) struct ApiKey(pub(super) String);

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// Where to reach OpenAI, or a server that speaks like it. What is not given comes from the
/// environment: `OPENAI_API_KEY`, `OPENAI_BASE_URL`.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenAiConf {
    pub(super) key: Option<ApiKey>,
    pub(super) base_url: Option<String>,
}

/// A client of OpenAI's chat completions.
pub(super) struct OpenAiClient {
    client: Client,
    url: Url,
    key: Option<HeaderValue>,
}

impl OpenAiClient {
    pub(super) fn new(conf: &OpenAiConf) -> Result<Self, ModelError> {
        let env = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let base = conf.base_url.clone().or_else(|| env("OPENAI_BASE_URL"));
        let key = conf
            .key
            .clone()
            .or_else(|| env("OPENAI_API_KEY").map(ApiKey));
        if base.is_none() && key.is_none() {
            return Err(config("OPENAI_API_KEY is not set"));
        }
        let base = base.as_deref().unwrap_or(DEFAULT_BASE_URL);
        let url = Url::parse(&format!("{}/chat/completions", base.trim_end_matches('/')))
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"))
            .ok_or_else(|| config("OPENAI_BASE_URL is not a web address"))?;
        Ok(Self {
            client: client(&url)?,
            url,
            key: key.map(bearer).transpose()?,
        })
    }

    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let body = serde_json::to_vec(&openai::lower(request)).map_err(|error| {
            ModelError::new(
                ModelErrorKind::InvalidRequest,
                "the request could not be written",
            )
            .with_source(error)
        })?;
        let mut post = self
            .client
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        if let Some(key) = &self.key {
            post = post.header(AUTHORIZATION, key.clone());
        }
        let response = post.send().await.map_err(transport)?;
        let status = response.status();
        let hints = hints(response.headers());
        let body = read(response).await?;
        if status.is_success() {
            openai::lift(&body)
        } else {
            Err(openai::lift_error(status.as_u16(), &body, hints))
        }
    }
}

impl ModelClient for OpenAiClient {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        Box::pin(self.ask(request))
    }
}

fn client(url: &Url) -> Result<Client, ModelError> {
    let mut builder = Client::builder()
        .tls_backend_preconfigured(tls(url).map_err(|e| config("TLS").with_source(e))?)
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(TOTAL_TIMEOUT)
        // A redirect would carry prompts to where nobody configured.
        .redirect(redirect::Policy::none());
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    builder
        .build()
        .map_err(|error| config("the web client could not be set up").with_source(error))
}

/// TLS on `ring`, whatever the process uses elsewhere.
fn tls(url: &Url) -> Result<ClientConfig, BoxError> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?;
    // A machine without certificates can still reach a server without TLS.
    let builder = match url.scheme() {
        "https" => builder.with_platform_verifier()?,
        _ => builder.with_root_certificates(RootCertStore::empty()),
    };
    Ok(builder.with_no_client_auth())
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|ip| ip.is_loopback())
}

fn bearer(ApiKey(key): ApiKey) -> Result<HeaderValue, ModelError> {
    let mut value = HeaderValue::try_from(format!("Bearer {}", key.trim()))
        .map_err(|_| config("the key for OpenAI holds characters that no key has"))?;
    value.set_sensitive(true);
    Ok(value)
}

/// Reads the body, up to a limit.
async fn read(mut response: Response) -> Result<Vec<u8>, ModelError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(transport)? {
        if body.len() + chunk.len() > MAX_BODY {
            return Err(ModelError::new(
                ModelErrorKind::Malformed,
                format!("the answer is longer than {} MiB", MAX_BODY >> 20),
            ));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn hints(headers: &HeaderMap) -> Hints {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let seconds = |text: &str| Duration::try_from_secs_f64(text.trim().parse().ok()?).ok();
    let wait = text("retry-after-ms")
        .and_then(seconds)
        .map(|thousandfold| thousandfold / 1000)
        .or_else(|| text("retry-after").and_then(|text| seconds(text).or_else(|| until(text))));
    Hints {
        retry_after: wait.map(|wait| wait.min(MAX_WAIT)),
        should_retry: match text("x-should-retry") {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => None,
        },
    }
}

/// The time from now to a date.
fn until(date: &str) -> Option<Duration> {
    let date = httpdate::parse_http_date(date).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

fn transport(error: reqwest::Error) -> ModelError {
    let what = if error.is_timeout() {
        "the provider took too long to answer"
    } else if error.is_connect() {
        "the provider could not be reached"
    } else {
        "the connection to the provider broke"
    };
    ModelError::new(ModelErrorKind::Transport, what).with_source(error.without_url())
}

fn config(message: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Config, message)
}
