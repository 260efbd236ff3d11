//! Runs over HTTP: where they are, what they do as server-sent events (the HTML standard, § 9.2) or over a WebSocket
//! (RFC 6455), and commands to them.

mod commands;
mod guard;
mod routes;
mod socket;
mod view;

use std::{
    collections::BTreeMap,
    fmt,
    future::{Future, pending},
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{Router, http::Uri};
use serde::Serialize;
use tokio::net::TcpListener;
use uuid::Uuid;

use super::Channel;
use crate::{
    error::BoxError,
    events::{EventKind, FlowEvent},
    hub::Hub,
};

/// Shows runs over HTTP, and takes commands to them. Each run that is shown has a [channel](Self::channel) of it.
///
/// Whoever asks has to name the [token](Self::token), as `Authorization: Bearer TOKEN` or, since browsers cannot send
/// that with everything, as `?token=TOKEN` in the address of a `GET`. Web pages of another origin are refused
/// whatever they know, and so are host names that are not those of this machine alone; both unless
/// [`with_origin`](Self::with_origin) names them.
///
/// | request | is answered with |
/// |---|---|
/// | `GET /runs` | `{"runs": [ID, …]}` |
/// | `GET /runs/ID` | where the run is: its `status`, what its `nodes` did last (`running`, `asking`, `failed` or `done`, since the run is shown), the `questions` that are open and the agents that are `listening` |
/// | `GET /runs/ID/events` | what it does from now on, as server-sent events: the data of each is a [`FlowEvent`] as JSON |
/// | `POST /runs/ID/commands` | `{"step": N}` once the run has taken the command, which is the body |
/// | `GET /runs/ID/socket` | a WebSocket: the same events, and commands as `{"request": ANY, "command": COMMAND}` |
///
/// A command is one of `{"type": "reply", "id": ID, "answer": ANSWER}`, `{"type": "emit", "name": NAME, "value": VALUE}`,
/// `{"type": "message", "agent": AGENT_RUN, "text": TEXT}`, `{"type": "message_to_node", "node": NODE, "text": TEXT}`,
/// `{"type": "close", "agent": AGENT_RUN}`, `{"type": "pause"}`, `{"type": "unpause"}` and
/// `{"type": "cancel", "reason": REASON}`, which do what the functions of [`Hub`] do.
///
/// ```
/// use pravah_runtime::{Channels, WebServer, prelude::*};
///
/// # #[state] struct Draft { text: String }
/// # #[state] struct Decided { published: bool }
/// # #[node] fn approve(_draft: &Draft) -> Decided { Decided { published: true } }
/// # #[flow] fn publish(draft: Draft) -> Decided { flow! { approve } }
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = WebServer::new();
/// let listener = server.bind("127.0.0.1:0".parse()?).await?;
/// println!("http://{}/runs?token={}", listener.address(), server.token());
/// tokio::spawn(listener.run());
///
/// let mut run = FlowRuntime::new(Draft { text: "…".into() })?;
/// let channels = Channels::new().with_required(server.channel());
/// run.serve_with(Context::default(), channels).await?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct WebServer {
    access: Arc<Access>,
    runs: Arc<Runs>,
    is_remote: bool,
}

/// Who is let in.
#[derive(Clone)]
struct Access {
    token: String,
    /// The origins of web pages besides this server's own.
    origins: Vec<String>,
}

/// The runs that are shown, by their ids.
#[derive(Default)]
struct Runs(Mutex<BTreeMap<Arc<str>, ShownRun>>);

/// A run that is shown.
#[derive(Clone)]
struct ShownRun {
    hub: Hub,
    /// What each node that has started did last, since the run was shown.
    nodes: BTreeMap<String, NodeState>,
}

/// What a node does.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum NodeState {
    Running,
    Asking,
    Failed,
    Done,
}

impl NodeState {
    /// What a node does once this has happened to it.
    fn after(event: &EventKind) -> Option<Self> {
        Some(match event {
            EventKind::NodeStarted | EventKind::Replied { .. } => Self::Running,
            EventKind::Asked { .. } => Self::Asking,
            EventKind::Failed { .. } => Self::Failed,
            EventKind::NodeEnded => Self::Done,
            _ => return None,
        })
    }
}

impl Runs {
    fn shown(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, ShownRun>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WebServer {
    /// A server with a random token, which shows no run yet.
    pub fn new() -> Self {
        let [first, second] = [Uuid::new_v4(), Uuid::new_v4()].map(Uuid::simple);
        Self {
            access: Arc::new(Access {
                token: format!("{first}{second}"),
                origins: Vec::new(),
            }),
            runs: Arc::default(),
            is_remote: false,
        }
    }

    /// The same with a token of yours, which should be as hard to guess: an empty one lets nobody in.
    #[must_use]
    pub fn with_token(mut self, token: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.access).token = token.into();
        self
    }

    /// Lets web pages of this origin in, such as `https://desk.example.com`, if they know the token; and requests
    /// that were sent to that host, as a proxy before this server hands them on.
    #[must_use]
    pub fn with_origin(mut self, origin: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.access).origins.push(origin.into());
        self
    }

    /// Lets [`bind`](Self::bind) take addresses that other machines can reach. What is sent is not encrypted: put a
    /// proxy with TLS before it.
    #[must_use]
    pub fn beyond_loopback(mut self) -> Self {
        self.is_remote = true;
        self
    }

    /// What lets a request in.
    pub fn token(&self) -> &str {
        &self.access.token
    }

    /// A channel that shows the run which it is attached to, under its id, until that has ended.
    pub fn channel(&self) -> impl Channel + use<> {
        WebChannel {
            runs: Arc::clone(&self.runs),
            run_id: None,
        }
    }

    /// The routes, to be part of a server of your own; they check the token, the origin and the host by themselves.
    pub fn router(&self) -> Router {
        guard::guarded(
            routes::routes(Arc::clone(&self.runs)),
            Arc::clone(&self.access),
        )
    }

    /// Takes an address, with the port 0 any that is free.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::InvalidInput`] if other machines could reach it, unless they [may](Self::beyond_loopback);
    /// what the system says if it cannot be taken.
    pub async fn bind(&self, address: SocketAddr) -> io::Result<WebListener> {
        let invalid = |why| io::Error::new(io::ErrorKind::InvalidInput, why);
        if let Some(origin) = self.access.origins.iter().find(|it| !is_origin(it)) {
            let why =
                format!("`{origin}` is no origin: write `https://HOST` or `https://HOST:PORT`");
            return Err(invalid(why));
        }
        if !address.ip().is_loopback() && !self.is_remote {
            let why =
                format!("other machines can reach {address}: say `beyond_loopback` if they may");
            return Err(invalid(why));
        }
        let listener = TcpListener::bind(address).await?;
        Ok(WebListener {
            address: listener.local_addr()?,
            listener,
            router: self.router(),
        })
    }
}

/// Whether a text is an origin, as browsers write it: a scheme and a host, with its port where that is not the usual.
fn is_origin(text: &str) -> bool {
    text.parse::<Uri>().is_ok_and(|uri| {
        let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
        is_web && uri.host().is_some() && uri.path() == "/" && !text.ends_with('/')
    })
}

impl Default for WebServer {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for WebServer {
    /// Without the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebServer")
            .field("origins", &self.access.origins)
            .finish_non_exhaustive()
    }
}

/// A [`WebServer`] that has taken its address.
#[derive(Debug)]
pub struct WebListener {
    address: SocketAddr,
    listener: TcpListener,
    router: Router,
}

impl WebListener {
    /// The address, with its port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until the future is dropped. Let a task of its own await it.
    ///
    /// # Errors
    ///
    /// What the system says if the address is lost.
    pub async fn run(self) -> io::Result<()> {
        self.run_until(pending()).await
    }

    /// Answers requests until `stop` is done, and then those that have come: whoever has the events of a run gets
    /// them to its end. WebSockets are not waited for.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run).
    pub async fn run_until(
        self,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let serving = axum::serve(self.listener, self.router);
        serving.with_graceful_shutdown(stop).await
    }
}

/// Shows one run. Its events go to each connection from the hub, so that a slow one holds no other.
struct WebChannel {
    runs: Arc<Runs>,
    run_id: Option<Arc<str>>,
}

impl WebChannel {
    fn hide(&mut self) {
        if let Some(id) = self.run_id.take() {
            self.runs.shown().remove(&id);
        }
    }
}

impl Channel for WebChannel {
    fn name(&self) -> &str {
        "web"
    }

    async fn on_start(&mut self, hub: Hub) -> Result<(), BoxError> {
        let id = hub.run_id();
        let mut shown = self.runs.shown();
        if shown.contains_key(&id) {
            return Err(format!("a run `{id}` is shown already").into());
        }
        let nodes = BTreeMap::new();
        shown.insert(Arc::clone(&id), ShownRun { hub, nodes });
        self.run_id = Some(id);
        Ok(())
    }

    async fn on_event(&mut self, event: FlowEvent) -> Result<(), BoxError> {
        let state = NodeState::after(&event.kind);
        if let (Some(node), Some(state), Some(id)) = (event.node, state, &self.run_id)
            && let Some(run) = self.runs.shown().get_mut(id)
        {
            run.nodes.insert(node, state);
        }
        Ok(())
    }

    async fn on_complete(&mut self) -> Result<(), BoxError> {
        self.hide();
        Ok(())
    }
}

impl Drop for WebChannel {
    fn drop(&mut self) {
        self.hide();
    }
}
