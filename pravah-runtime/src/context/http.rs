//! Web requests, to the hosts that are listed.

mod address;
mod message;

use std::sync::Arc;

use reqwest::{Client, Url, redirect};
use serde::Serialize;

use self::address::{PublicAddresses, is_listed};
pub use self::message::{HttpRequest, HttpResponse};
use super::{Capabilities, Context, Shared};
use crate::{
    error::{BoxError, ToolError},
    model::tls_of_any_server,
};

/// How many redirects are followed.
const MOST_REDIRECTS: usize = 10;

/// The longest answer that is read, in bytes.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// A web client that reaches only the hosts that [`FlowConf::hosts`](super::FlowConf::hosts) lists: what a
/// node or a tool asks for that makes requests.
///
/// A redirect is followed to a host that is listed as well, and not from `https` to `http`. A name that
/// leads to a private address, such as one of the own network, is refused, unless that address is listed
/// itself or the name is `localhost`. Requests pass no proxy, which would look names up by itself. There is no
/// limit of time but the node's.
///
/// ```
/// use pravah_runtime::{Context, FlowConf, ToolError};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let conf = FlowConf { hosts: vec!["api.example.com".into()], ..FlowConf::default() };
/// let http = Context::new(conf).http();
/// let elsewhere = http.get("https://example.com/").await;
/// assert!(matches!(elsewhere, Err(ToolError::ForbiddenHost(host)) if host == "example.com"));
/// # }
/// ```
#[derive(Clone)]
pub struct Http {
    shared: Arc<Shared>,
    /// Whether a constraint of the agent refuses them all.
    is_refused: bool,
}

impl Http {
    /// Asks for what is at an address.
    ///
    /// # Errors
    ///
    /// Those of [`send`](Self::send).
    pub async fn get(&self, url: impl AsRef<str>) -> Result<HttpResponse, ToolError> {
        self.send(HttpRequest::new("GET", url.as_ref())).await
    }

    /// Sends a value as JSON.
    ///
    /// # Errors
    ///
    /// Those of [`send`](Self::send), and [`ToolError::Serialize`] if the value cannot be written.
    pub async fn post(
        &self,
        url: impl AsRef<str>,
        json: &(impl Serialize + Sync),
    ) -> Result<HttpResponse, ToolError> {
        let request = HttpRequest::new("POST", url.as_ref()).json(json)?;
        self.send(request).await
    }

    /// Sends a request. An answer is one whatever its status is: see
    /// [`HttpResponse::success`].
    ///
    /// # Errors
    ///
    /// [`ToolError::ForbiddenHost`] if the host, or one that it redirects to, may not be reached, and
    /// [`ToolError::Http`] if it could not be, if the answer breaks off or is longer than 16 MiB.
    pub async fn send(&self, request: HttpRequest) -> Result<HttpResponse, ToolError> {
        let url = Url::parse(&request.url)
            .map_err(|error| ToolError::http("the URL is not valid", error))?;
        self.check(&url)?;
        let client = self.client()?;
        let sent = request.write(client, url)?.send().await;
        HttpResponse::read(sent.map_err(failed)?, MOST_BYTES).await
    }

    fn check(&self, url: &Url) -> Result<(), ToolError> {
        match !self.is_refused && is_listed(&self.shared.conf.hosts, url) {
            true => Ok(()),
            false => Err(ToolError::ForbiddenHost(address::shown(url))),
        }
    }

    /// One client for all contexts of a run, which keeps connections.
    fn client(&self) -> Result<&Client, ToolError> {
        if let Some(client) = self.shared.http.get() {
            return Ok(client);
        }
        let client = build(&self.shared.conf.hosts)
            .map_err(|error| ToolError::http("the web client could not be set up", error))?;
        Ok(self.shared.http.get_or_init(|| client))
    }
}

fn build(hosts: &[String]) -> Result<Client, BoxError> {
    let hosts: Arc<[String]> = hosts.into();
    let listed = Arc::clone(&hosts);
    let redirects = redirect::Policy::custom(move |attempt| {
        let is_downgrade = attempt.url().scheme() != "https"
            && attempt.previous().iter().any(|url| url.scheme() == "https");
        if attempt.previous().len() > MOST_REDIRECTS {
            attempt.error("it redirects too often")
        } else if is_downgrade || !is_listed(&listed, attempt.url()) {
            let host = address::shown(attempt.url());
            attempt.error(address::Forbidden(host))
        } else {
            attempt.follow()
        }
    });
    let client = Client::builder()
        .tls_backend_preconfigured(tls_of_any_server()?)
        .redirect(redirects)
        .dns_resolver(Arc::new(PublicAddresses(hosts)))
        .no_proxy();
    Ok(client.build()?)
}

/// Why a request has no answer.
fn failed(error: reqwest::Error) -> ToolError {
    let error = error.without_url();
    match address::forbidden(&error) {
        Some(host) => ToolError::ForbiddenHost(host.to_owned()),
        None => ToolError::http(words(&error), error),
    }
}

fn words(error: &reqwest::Error) -> &'static str {
    match error {
        error if error.is_builder() => "the request is not valid",
        error if error.is_redirect() => "it redirects too often",
        error if error.is_body() || error.is_decode() => "the answer broke off",
        _ => "the host could not be reached",
    }
}

impl From<&Context> for Http {
    fn from(ctx: &Context) -> Self {
        Self {
            shared: Arc::clone(&ctx.shared),
            is_refused: ctx.refused.meets(Capabilities::HTTP),
        }
    }
}

impl std::fmt::Debug for Http {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.shared.conf.hosts).finish()
    }
}
