//! Runs over HTTP: where they are, what they do as server-sent events (the HTML standard, § 9.2) or over a WebSocket
//! (RFC 6455), and commands to them.

mod commands;
mod guard;
mod origin;
mod routes;
mod shown;
mod socket;
mod view;

use std::{
    fmt,
    future::{Future, pending},
    io,
    net::SocketAddr,
    sync::Arc,
};

use axum::Router;
use tokio::net::TcpListener;
use uuid::Uuid;

pub use self::origin::InvalidOrigin;
use self::{
    origin::Origin,
    shown::{Runs, WebChannel},
};
use super::Channel;

/// Shows runs over HTTP, and takes commands to them. Each run that is shown has a [channel](Self::channel) of it.
///
/// Whoever asks has to name the [token](Self::token), as `Authorization: Bearer TOKEN` or, since browsers cannot send
/// that with everything, as `?token=TOKEN` in the address of a `GET`. Web pages of another origin are refused
/// whatever they know, and so are host names that are not those of this machine alone; both unless
/// [`with_origin`](Self::with_origin) names them. The server's own origin is that of this machine over plain HTTP.
///
/// What clients have of a run, its events and sockets, ends with its channel. A command over a WebSocket that was sent
/// before the client could know of the end is refused.
///
/// | request | is answered with |
/// |---|---|
/// | `GET /runs` | `{"runs": [ID, …]}` |
/// | `GET /runs/ID` | where the run is: its `status`, what its `nodes` did last (`running`, `asking`, `failed` or `done`, since the run is shown), the `questions` that are open, each with its `id`, its `number` and what it `asks`, and the agents that are `listening` |
/// | `GET /runs/ID/events` | what it does from now on, as server-sent events: the data of each is a [`FlowEvent`](crate::FlowEvent) as JSON |
/// | `POST /runs/ID/commands` | `{"step": N}` once the run has taken the command, which is the body |
/// | `GET /runs/ID/socket` | a WebSocket: the same events, and commands as `{"request": ANY, "command": COMMAND}` |
///
/// A command is one of `{"type": "reply", "id": ID, "number": N, "answer": ANSWER}`,
/// `{"type": "emit", "name": NAME, "value": VALUE}`, `{"type": "message", "agent": AGENT_RUN, "text": TEXT}`,
/// `{"type": "message_to_node", "node": NODE, "text": TEXT}`, `{"type": "close", "agent": AGENT_RUN}`,
/// `{"type": "pause"}`, `{"type": "unpause"}` and `{"type": "cancel", "reason": REASON}`, which do what the functions of
/// [`Hub`](crate::Hub) do. The `number` says which question was shown, as with
/// [`reply_to`](crate::Hub::reply_to), and may be left out.
///
/// Over a WebSocket the outcome of a command is `{"type": "taken", "request": ANY, "step": N}` or
/// `{"type": "refused", "request": ANY, "error": TEXT}`. Over HTTP it is a status, and the body of one that is an
/// error is `{"error": TEXT}`:
///
/// | status | says |
/// |---|---|
/// | 202 | the run has not taken the command in 30 seconds: the body is `{"waits": true}` |
/// | 400 | the body is not a command |
/// | 401 | the token is missing or wrong |
/// | 403 | the host or the origin is not allowed |
/// | 404 | no such run was shown, or no such agent run takes messages |
/// | 409 | the question is not open, or another one has its id now |
/// | 410 | the run has ended, or is not shown any more; the last 1,024 of these are known |
/// | 413 | the body is longer than 2 MB |
/// | 422 | the question does not take this answer, or the value is nested too deeply |
/// | 429 | too many commands wait already |
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
/// println!("http://{}/runs?token={}", listener.local_addr(), server.token());
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
    allows_remote: bool,
}

/// Who is let in.
#[derive(Clone)]
struct Access {
    token: String,
    /// The origins of web pages besides this server's own.
    origins: Vec<Origin>,
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
            allows_remote: false,
        }
    }

    /// The same with a token of yours, which should be as hard to guess: an empty one lets nobody in.
    #[must_use]
    pub fn with_token(mut self, token: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.access).token = token.into();
        self
    }

    /// Lets web pages of this origin in, such as `https://desk.example.com`, if they know the token; and requests
    /// that were sent to that host, as a proxy before this server hands them on. A page of the same host with another
    /// scheme is another origin.
    ///
    /// # Errors
    ///
    /// [`InvalidOrigin`] if it is more or less than a scheme and a host, with its port.
    pub fn with_origin(mut self, origin: &str) -> Result<Self, InvalidOrigin> {
        let origin = Origin::parse(origin)?;
        Arc::make_mut(&mut self.access).origins.push(origin);
        Ok(self)
    }

    /// Lets [`bind`](Self::bind) take addresses that other machines can reach. Put a proxy with TLS before it: what is
    /// sent is not encrypted, and neither the number of connections nor the time that headers take is limited.
    #[must_use]
    pub fn with_remote_access(mut self) -> Self {
        self.allows_remote = true;
        self
    }

    /// What lets a request in.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.access.token
    }

    /// A channel that shows the run which it is attached to, under its id, until that has ended.
    #[must_use]
    pub fn channel(&self) -> impl Channel + use<> {
        WebChannel::new(Arc::clone(&self.runs))
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
    /// [`io::ErrorKind::InvalidInput`] if other machines could reach it, unless they [may](Self::with_remote_access);
    /// what the system says if it cannot be taken.
    pub async fn bind(&self, address: SocketAddr) -> io::Result<WebListener> {
        if !address.ip().is_loopback() && !self.allows_remote {
            let why = format!(
                "other machines can reach {address}: call `with_remote_access()` to allow that"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let listener = TcpListener::bind(address).await?;
        Ok(WebListener {
            address: listener.local_addr()?,
            listener,
            router: self.router(),
        })
    }
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
#[must_use = "nobody is answered before it runs"]
pub struct WebListener {
    address: SocketAddr,
    listener: TcpListener,
    router: Router,
}

impl WebListener {
    /// The address, with its port.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
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
