//! Publishes the agents of a registry to A2A clients.

mod caller;
mod card;
mod drive;
mod http;
mod json_rpc;
mod message;
mod operations;
mod rest;
mod stream;
mod task;
mod tasks;

use std::{fmt, sync::Arc};

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, Request, State},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use pravah_runtime::{Context, FlowError, FlowRuntime, invocation::AgentRegistry};

pub use self::caller::Caller;
use self::tasks::{Limits, Tasks};

/// The longest body that is read, in bytes.
const MAX_BODY: usize = 1 << 20;

/// How many tasks go on at the same time, and how many are kept once they have ended.
const MAX_TASKS: usize = 1_000;

/// How much all of them say, in bytes of JSON. In memory that can be many times as much.
const MAX_BYTES: usize = 32 << 20;

type Authenticate = Arc<dyn Fn(&str) -> Option<Caller> + Send + Sync>;
type SetUp = Arc<dyn Fn(FlowRuntime<AgentRegistry>) -> FlowRuntime<AgentRegistry> + Send + Sync>;

/// Publishes the agents of an [`AgentRegistry`] over A2A 1.0, as an axum [`Router`], with JSON-RPC and with HTTP+JSON.
///
/// The agent `greeter` is at `/agents/greeter`: its card is `/agents/greeter/.well-known/agent-card.json`. The only agent of
/// a registry, or the [default](Self::with_default_agent) one, is at the root as well.
///
/// A message starts a task, which is a run of the registry. An agent is told the text of the message, with data as JSON; a
/// flow starts with its data, or with its text as JSON. What it returns is an artifact, as data or as a text. Where the run
/// asks, the task is in the state `INPUT_REQUIRED`, with the question as a text and as data; a message to that task is the
/// answer: data, a text, or JSON in a text. One that does not fit is refused, and the task asks on. A message that is sent
/// twice with one `messageId` is accepted once.
///
/// Tasks are in memory, and gone with the process. They go on without their clients, and each belongs to the [`Caller`] who
/// has started it. Files, push notifications and extended cards are refused.
///
/// Whoever reaches the address may ask the agents, unless there is [a bearer token](Self::with_bearer) to be shown, and
/// reads why they fail. Requests of web pages are refused without one.
///
/// ```
/// use pravah_a2a::{A2aServer, Caller};
/// use pravah_runtime::{invocation::AgentRegistry, prelude::*};
///
/// #[state] struct Person { name: String }
/// #[state] struct Greeting { text: String }
///
/// #[node]
/// fn greet(person: Person) -> Greeting { Greeting { text: format!("Hello, {}", person.name) } }
///
/// /// Greets a person.
/// #[flow]
/// fn greeter(person: Person) -> Greeting { flow! { greet } }
///
/// # fn main() -> Result<(), FlowError> {
/// let agents = AgentRegistry::new().with_agent::<greeter>();
/// let server = A2aServer::new(agents, "http://127.0.0.1:4000")
///     .with_bearer(|token| (token == "the token").then(|| Caller::new("ada")));
/// let router = server.router()?; // for `axum::serve`
/// # drop(router);
/// # Ok(()) }
/// ```
#[must_use = "a server does nothing until its router is served"]
pub struct A2aServer(Server);

struct Server {
    registry: AgentRegistry,
    /// Where clients reach it, without a slash at the end.
    url: String,
    agents: Vec<Arc<str>>,
    default_agent: Option<Arc<str>>,
    version: String,
    context: Context,
    set_up: SetUp,
    authenticate: Option<Authenticate>,
    max_body: usize,
    limits: Limits,
    tasks: Tasks,
}

impl A2aServer {
    /// A server of these agents, which clients reach at `url`: cards have it in them.
    pub fn new(registry: AgentRegistry, url: impl AsRef<str>) -> Self {
        let url = url.as_ref();
        let agents: Vec<Arc<str>> = registry.agent_ids().map(Into::into).collect();
        let default_agent = match agents.as_slice() {
            [only] => Some(Arc::clone(only)),
            _ => None,
        };
        Self(Server {
            registry,
            url: url.trim_end_matches('/').to_owned(),
            agents,
            default_agent,
            version: "1.0.0".to_owned(),
            context: Context::default(),
            set_up: Arc::new(|run| run),
            authenticate: None,
            max_body: MAX_BODY,
            limits: Limits {
                open_tasks: MAX_TASKS,
                open_tasks_of_caller: usize::MAX,
                ended_tasks: MAX_TASKS,
                bytes: MAX_BYTES,
            },
            tasks: Tasks::default(),
        })
    }

    /// The same with a context for all runs: the default one unless set. Models are asked with the
    /// [`ClientFactory`](pravah_runtime::ClientFactory) or the script in it, `Context::default().with_dep(factory)`.
    pub fn with_context(mut self, context: Context) -> Self {
        self.0.context = context;
        self
    }

    /// The same with a function that prepares each run before its first step, such as
    /// [`with_budget`](FlowRuntime::with_budget) or [`with_observer`](FlowRuntime::with_observer).
    ///
    /// ```
    /// use pravah_a2a::A2aServer;
    /// use pravah_runtime::invocation::AgentRegistry;
    ///
    /// let agents = AgentRegistry::new().with_remote_agent("archivist", "a2a");
    /// let server = A2aServer::new(agents, "http://127.0.0.1:4000")
    ///     .with_run_setup(|run| run.with_concurrency(8));
    /// # drop(server);
    /// ```
    pub fn with_run_setup(
        mut self,
        set_up: impl Fn(FlowRuntime<AgentRegistry>) -> FlowRuntime<AgentRegistry>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.0.set_up = Arc::new(set_up);
        self
    }

    /// The same for callers who show a token: `authenticate` says whose it is, and refuses it with `None`. Cards are read
    /// without one.
    pub fn with_bearer(
        mut self,
        authenticate: impl Fn(&str) -> Option<Caller> + Send + Sync + 'static,
    ) -> Self {
        self.0.authenticate = Some(Arc::new(authenticate));
        self
    }

    /// The same with this agent at the root as well.
    pub fn with_default_agent(mut self, agent_id: impl Into<Arc<str>>) -> Self {
        self.0.default_agent = Some(agent_id.into());
        self
    }

    /// The same with the version that cards have: `1.0.0` unless set.
    pub fn with_version(mut self, version: impl Into<String>) -> Self {
        self.0.version = version.into();
        self
    }

    /// The same with the most bytes that a request may have: 1 MiB unless set.
    pub fn with_max_body(mut self, bytes: usize) -> Self {
        self.0.max_body = bytes;
        self
    }

    /// The same with the most tasks that go on at the same time, of all callers together: 1,000 unless set. Those that
    /// wait for an answer are among them.
    pub fn with_max_open_tasks(mut self, tasks: usize) -> Self {
        self.0.limits.open_tasks = tasks;
        self
    }

    /// The same with the most tasks of one [`Caller`] that go on at the same time, so that others have room for theirs: as
    /// many as [of all](Self::with_max_open_tasks) unless set.
    pub fn with_max_open_tasks_of_caller(mut self, tasks: usize) -> Self {
        self.0.limits.open_tasks_of_caller = tasks;
        self
    }

    /// The same with the most tasks that are kept once they have ended, of all callers together: 1,000 unless set. The
    /// oldest is forgotten first.
    pub fn with_max_ended_tasks(mut self, tasks: usize) -> Self {
        self.0.limits.ended_tasks = tasks;
        self
    }

    /// The same with the most bytes that all tasks may hold in messages and results, as JSON: 32 MiB unless set. It is
    /// checked when a task starts or ends: tasks that have ended are forgotten for new ones, and where that is not enough,
    /// new ones are refused.
    pub fn with_max_bytes(mut self, bytes: usize) -> Self {
        self.0.limits.bytes = bytes;
        self
    }

    /// What serves the requests. It needs a tokio runtime, in which the runs make their steps.
    ///
    /// ```no_run
    /// use pravah_a2a::A2aServer;
    /// use pravah_runtime::invocation::AgentRegistry;
    ///
    /// # fn agents() -> AgentRegistry { AgentRegistry::new() }
    /// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:4000").await?;
    /// let server = A2aServer::new(agents(), "http://127.0.0.1:4000");
    /// axum::serve(listener, server.router()?).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`FlowError::BuildError`] where an agent of the registry cannot be made, two have one name, one has a name that no
    /// address can have, there are none, the default agent is none of them, or the `url` is none.
    pub fn router(self) -> Result<Router, FlowError> {
        let server = self.0;
        server.registry.validate()?;
        let cannot_be_reached = |agent: &&Arc<str>| ["", ".", ".."].contains(&&***agent);
        let unreachable = server.agents.iter().find(cannot_be_reached);
        let scheme = server.url.split_once("://").map(|(scheme, _)| scheme);
        let problem = match &server.default_agent {
            _ if !matches!(scheme, Some("http" | "https")) => Some(format!(
                "the `url` of the server, `{}`, starts with neither `http://` nor `https://`",
                server.url
            )),
            _ if server.agents.is_empty() => Some("the registry has no agents".to_owned()),
            _ if let Some(agent) = unreachable => Some(format!(
                "an agent called `{agent}` has no address of its own"
            )),
            Some(agent) if !server.agents.contains(agent) => Some(format!(
                "the default agent `{agent}` is not in the registry"
            )),
            _ => None,
        };
        if let Some(problem) = problem {
            return Err(FlowError::BuildError(problem.into()));
        }
        let max_body = server.max_body;
        let router = Router::new()
            .route("/agents/{agent}", post(json_rpc::handle))
            .route("/agents/{agent}/", post(json_rpc::handle))
            .nest("/agents/{agent}", agent_routes())
            .route("/", post(json_rpc::handle))
            .merge(agent_routes());
        Ok(router
            .layer(DefaultBodyLimit::max(max_body))
            .with_state(Arc::new(server)))
    }
}

impl fmt::Debug for A2aServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("A2aServer")
            .field("url", &self.0.url)
            .field("agents", &self.0.agents)
            .finish_non_exhaustive()
    }
}

fn agent_routes() -> Router<Arc<Server>> {
    rest::routes().route("/.well-known/agent-card.json", get(card))
}

/// Anybody may read it.
async fn card(State(server): State<Arc<Server>>, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    match caller::agent_of(&mut parts, &server).await {
        Ok(agent) => Json(server.card(&agent)).into_response(),
        Err(unknown) => unknown,
    }
}
