//! Who asks, for which agent.

use std::{net::IpAddr, sync::Arc};

use axum::{
    extract::{FromRequestParts, RawPathParams},
    http::{
        HeaderMap, StatusCode, Uri,
        header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE},
        request::Parts,
    },
    response::{IntoResponse as _, Response},
};

use super::Server;

/// Who asks. A task belongs to its caller: to all others it is unknown.
///
/// [`A2aServer::with_bearer`](crate::A2aServer::with_bearer) makes callers of tokens. A host that authenticates in another
/// way puts one into the extensions of the request, in a layer around the [router](crate::A2aServer::router):
///
/// ```
/// use axum::{Router, extract::Request, middleware::{Next, from_fn}};
/// use pravah_a2a::{A2aServer, Caller};
/// use pravah_runtime::invocation::AgentRegistry;
///
/// # fn agents() -> AgentRegistry { AgentRegistry::new().with_remote_agent("archivist", "a2a") }
/// # fn main() -> Result<(), pravah_runtime::FlowError> {
/// let server = A2aServer::new(agents(), "https://agents.example.org");
/// let router: Router = server.router()?.layer(from_fn(|mut request: Request, next: Next| {
///     // What a proxy has found out, which takes the header away from everybody else.
///     let user = request.headers().get("x-user").and_then(|it| it.to_str().ok());
///     if let Some(user) = user.map(Caller::new) {
///         request.extensions_mut().insert(user);
///     }
///     next.run(request)
/// }));
/// # drop(router);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Caller(Arc<str>);

impl Caller {
    /// A caller of this name.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }
}

/// Who sent a request, and for which agent.
pub(super) struct CallContext {
    pub(super) agent: Arc<str>,
    pub(super) caller: Caller,
    /// The version of the protocol that the client speaks: `0.3` where it says nothing.
    pub(super) version: String,
}

impl FromRequestParts<Arc<Server>> for CallContext {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut Parts,
        server: &Arc<Server>,
    ) -> Result<Self, Self::Rejection> {
        let caller = match parts.extensions.get::<Caller>() {
            Some(caller) => caller.clone(),
            None => server.caller(&parts.headers).map_err(refusal)?,
        };
        Ok(Self {
            agent: agent_of(parts, server).await?,
            caller,
            version: version_of(&parts.headers, &parts.uri),
        })
    }
}

impl Server {
    /// Whether the request may be one of a web page: of another origin, or of one whose name was made to lead here (DNS
    /// rebinding).
    fn is_sent_by_page(&self, headers: &HeaderMap) -> bool {
        let site = headers.get("sec-fetch-site");
        let is_browser = site.is_some_and(|site| site != "none") || headers.contains_key(ORIGIN);
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        let is_known = host.is_none_or(|host| self.is_own(host));
        is_browser || !is_known
    }

    /// Whether this is the name of this server, or of this machine.
    fn is_own(&self, host: &str) -> bool {
        let own = self.url.split("://").nth(1).unwrap_or_default();
        let own = own.split('/').next().unwrap_or_default();
        let name = host.rsplit_once(':').map_or(host, |(name, port)| {
            match port.bytes().all(|it| it.is_ascii_digit()) {
                true => name,
                false => host,
            }
        });
        let address = name.trim_start_matches('[').trim_end_matches(']');
        host.eq_ignore_ascii_case(own)
            || name.eq_ignore_ascii_case("localhost")
            || address.parse::<IpAddr>().is_ok_and(|it| it.is_loopback())
    }

    fn caller(&self, headers: &HeaderMap) -> Result<Caller, StatusCode> {
        let Some(authenticate) = &self.authenticate else {
            // A page in the browser of somebody who reaches this server is not let in as that somebody.
            return match self.is_sent_by_page(headers) {
                true => Err(StatusCode::FORBIDDEN),
                false => Ok(Caller::new("")),
            };
        };
        let sent = headers.get(AUTHORIZATION).and_then(|it| it.to_str().ok());
        let (scheme, token) = sent.and_then(|it| it.split_once(' ')).unwrap_or_default();
        let caller = match scheme.eq_ignore_ascii_case("bearer") {
            true => authenticate(token.trim()),
            false => None,
        };
        caller.ok_or(StatusCode::UNAUTHORIZED)
    }
}

fn refusal(status: StatusCode) -> Response {
    match status {
        StatusCode::UNAUTHORIZED => {
            let why = "show a token that this server takes: `Authorization: Bearer …`";
            (status, [(WWW_AUTHENTICATE, "Bearer")], why).into_response()
        }
        status => (
            status,
            "web pages, and other hosts, are refused without a token",
        )
            .into_response(),
    }
}

/// The agent that the path names, or the default one.
pub(super) async fn agent_of(
    parts: &mut Parts,
    server: &Arc<Server>,
) -> Result<Arc<str>, Response> {
    let params = RawPathParams::from_request_parts(parts, server).await;
    let params = params.map_err(|error| error.into_response())?;
    let named = params.iter().find(|(name, _)| *name == "agent");
    let agent = match named {
        Some((_, name)) => server.agents.iter().find(|it| &***it == name),
        None => server.default_agent.as_ref(),
    };
    let agent = agent.map(Arc::clone);
    let why = "no agent is here: each is at `/agents/NAME`";
    agent.ok_or_else(|| (StatusCode::NOT_FOUND, why).into_response())
}

/// What the header says, or a parameter of its name: <https://a2a-protocol.org/latest/specification/>, 3.6.
fn version_of(headers: &HeaderMap, uri: &Uri) -> String {
    let header = headers.get(a2a::SVC_PARAM_VERSION);
    let header = header.and_then(|it| it.to_str().ok()).map(str::trim);
    let query = uri.query().into_iter().flat_map(|it| it.split('&'));
    let mut query = query.filter_map(|it| it.split_once('='));
    let parameter = query.find(|(name, _)| name.eq_ignore_ascii_case(a2a::SVC_PARAM_VERSION));
    let parameter = parameter.map(|(_, value)| value);
    header
        .filter(|it| !it.is_empty())
        .or(parameter)
        .unwrap_or("0.3")
        .to_owned()
}
