//! A runner that calls agents of A2A servers.

mod endpoint;
mod error;
mod followed;
mod remote_id;
mod servers;
mod task;
mod transport;

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use a2a::{Message, Role, SendMessageResponse, error_code as code};
use pravah_runtime::{
    invocation::{
        Part, RemoteTask, RemoteTaskHandle, RemoteUpdate, Runner, RunnerErrorKind, RunnerFuture,
    },
    reqwest::Url,
};
use serde_json::Value;
use uuid::Uuid;

use self::{
    endpoint::Endpoint,
    error::CallError,
    followed::Followed,
    remote_id::{RemoteId, TaskAddress},
    servers::{Servers, parse},
    task::{UNNAMED, open_question},
};
use crate::content::{QUESTION, parts_of, value_of};

/// How often a task is asked for until it has taken an answer, and how long after each time.
const ANSWER_POLLS: usize = 20;
const ANSWER_POLL_INTERVAL: Duration = Duration::from_millis(250);

/// How many streams are kept while nobody waits for them, and for how long. The tasks of others are asked for anew.
const MAX_STREAMS: usize = 256;
const MAX_IDLE: Duration = Duration::from_secs(300);

/// How many agents are known whose cards were read.
const MAX_ENDPOINTS: usize = 64;

/// A [`Runner`] whose agents are reached over A2A 1.0: JSON-RPC or HTTP+JSON, whichever comes first on an agent's card.
///
/// The run that calls an agent keeps the address of its task in its snapshot, and goes on with the same task after a
/// crash. Before a task is started the server is asked for one with the context id that this one would have, which needs
/// a server that lists tasks and keeps the context ids of its clients. With one that does neither, the task may be started
/// twice where a process dies between the request and the commit of that step, and so may an agent that answers with a
/// message and makes no task of it.
///
/// What an agent returns is the data of its artifacts, or their text. Where it asks for input, the run asks: a text, or
/// data. An agent that waits to be authorised asks as well, and may also go on by itself.
///
/// Invocations and cards name addresses, so that only those servers are reached that the host has named, with
/// [`with_agent`](Self::with_agent) or [`allow`](Self::allow), and no redirect is followed. The settings of a
/// [`RunnerConfig`](pravah_runtime::invocation::RunnerConfig) are `{ "url": "https://…" }`, or none for agents that the
/// runner knows by name.
///
/// ```
/// use pravah_a2a::A2aRunner;
/// use pravah_runtime::{invocation::AgentRegistry, prelude::*};
///
/// # #[state] struct Topic { name: String }
/// # #[state] struct Finding { text: String }
/// /// Looks things up in the archive.
/// #[agent(runner = "a2a", output = Finding)]
/// fn archivist(topic: &Topic) -> String { topic.name.clone() }
///
/// #[flow]
/// fn research(topic: Topic) -> Finding { flow! { archivist } }
///
/// # fn main() -> Result<(), FlowError> {
/// let runner = A2aRunner::new()
///     .with_agent("archivist", "https://archive.example.org")
///     .with_bearer("https://archive.example.org", "the token");
/// let run = FlowRuntime::new(Topic { name: "trains".into() })?.with_runner(runner);
/// # drop(run);
/// # Ok(()) }
/// ```
#[derive(Default)]
pub struct A2aRunner {
    kind: Option<String>,
    servers: Servers,
    /// By the addresses of agents.
    endpoints: Mutex<BTreeMap<String, Arc<Endpoint>>>,
    /// The streams of tasks, by their ids here. Each is taken out while somebody waits for it.
    followed: Mutex<BTreeMap<String, Followed>>,
}

impl A2aRunner {
    /// A runner of the kind `a2a`, which reaches nobody yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same under another kind, which `runner = "…"` names: `a2a` unless set.
    #[must_use]
    pub fn with_kind(mut self, kind: impl Into<String>) -> Self {
        self.kind = Some(kind.into());
        self
    }

    /// The same with an agent, by the name of its function with `#[agent(runner = "a2a")]`, and the address below which its
    /// card is: `/.well-known/agent-card.json`. Its server is allowed. An invalid address fails the first task.
    #[must_use]
    pub fn with_agent(mut self, agent_id: impl Into<String>, url: impl AsRef<str>) -> Self {
        self.servers.add_agent(agent_id.into(), url.as_ref());
        self
    }

    /// The same with a server that invocations and cards may name: its scheme, host and port.
    #[must_use]
    pub fn allow(mut self, url: impl AsRef<str>) -> Self {
        self.servers.allow(url.as_ref());
        self
    }

    /// The same with a bearer token for a server: its scheme, host and port. No other server gets it.
    #[must_use]
    pub fn with_bearer(mut self, url: impl AsRef<str>, token: impl Into<String>) -> Self {
        self.servers.add_token(url.as_ref(), token.into());
        self
    }

    async fn endpoint(&self, url: &Url) -> Result<Arc<Endpoint>, CallError> {
        let known = lock(&self.endpoints).get(url.as_str()).cloned();
        if let Some(endpoint) = known {
            return Ok(endpoint);
        }
        self.servers.check(url)?;
        let endpoint = Arc::new(Endpoint::connect(url, &self.servers).await?);
        let mut known = lock(&self.endpoints);
        if known.len() >= MAX_ENDPOINTS {
            known.pop_first();
        }
        known.insert(url.as_str().to_owned(), Arc::clone(&endpoint));
        Ok(endpoint)
    }

    /// The agent of a task. What could not be reached may have moved: its card is read again next time.
    async fn at<T>(
        &self,
        url: &Url,
        ask: impl AsyncFnOnce(&Endpoint) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        let endpoint = self.endpoint(url).await?;
        let outcome = ask(&endpoint).await;
        if outcome.as_ref().is_err_and(|it| it.error.is_retryable()) {
            lock(&self.endpoints).remove(url.as_str());
        }
        outcome
    }

    async fn find_or_start(&self, task: &RemoteTask) -> Result<RemoteId, CallError> {
        let url = self.servers.url_of(task)?;
        let context_id = name_of(&["context", &task.task_id]);
        let message = Message {
            context_id: Some(context_id.clone()),
            ..message(name_of(&["message", &task.task_id]), message_parts(task))
        };
        self.at(&url, async |endpoint| {
            let address = |task: a2a::Task| {
                RemoteId::Task(TaskAddress {
                    url: url.to_string(),
                    context_id: task.context_id,
                    id: task.id,
                })
            };
            if let Some(found) = endpoint.find(&context_id).await? {
                return Ok(address(found));
            }
            let sent = match endpoint.send(message.clone()).await {
                // Some servers refuse a context id that they have not made.
                Err(error) if error.is(code::INVALID_PARAMS) => {
                    let message = Message {
                        context_id: None,
                        ..message
                    };
                    endpoint.send(message).await?
                }
                sent => sent?,
            };
            Ok(match sent {
                SendMessageResponse::Task(task) => address(task),
                SendMessageResponse::Message(message) => {
                    RemoteId::Answered(value_of(&message.parts))
                }
            })
        })
        .await
    }

    async fn follow(
        &self,
        task_id: &str,
        address: &TaskAddress,
        cursor: Option<&str>,
    ) -> Result<RemoteUpdate, CallError> {
        let url = parse(&address.url).map_err(CallError::malformed)?;
        self.at(&url, async |endpoint| {
            let followed = lock(&self.followed).remove(task_id);
            let mut followed = match followed {
                Some(followed) => followed,
                None => Followed::start(endpoint, &address.id).await?,
            };
            let update = followed.next_update(endpoint, cursor).await?;
            if followed.has_events() {
                self.keep(task_id, followed);
            }
            Ok(update)
        })
        .await
    }

    /// Keeps a stream for the next step of its run, which may never come.
    fn keep(&self, task_id: &str, followed: Followed) {
        let mut kept = lock(&self.followed);
        kept.retain(|_, followed| followed.used.elapsed() < MAX_IDLE);
        if kept.len() >= MAX_STREAMS {
            kept.pop_first();
        }
        kept.insert(task_id.to_owned(), followed);
    }

    async fn deliver(
        &self,
        address: &TaskAddress,
        question_id: &str,
        answer: &Value,
    ) -> Result<(), CallError> {
        let url = parse(&address.url).map_err(CallError::malformed)?;
        self.at(&url, async |endpoint| {
            let is_open = async || -> Result<bool, CallError> {
                let task = endpoint.get(&address.id).await?;
                Ok(open_question(&task).as_deref() == Some(question_id))
            };
            if !is_open().await? {
                return Ok(());
            }
            let message = answer_message(address, question_id, answer);
            match endpoint.send(message).await {
                // It may be over meanwhile: its time has come, or somebody else has answered.
                Err(error) if !error.error.is_retryable() => {
                    return match is_open().await {
                        Ok(true) if error.is(code::INVALID_PARAMS) => {
                            Err(error.with_kind(RunnerErrorKind::InvalidAnswer))
                        }
                        Ok(false) => Ok(()),
                        _ => Err(error),
                    };
                }
                sent => sent?,
            };
            // Until the server has taken it, the next update would show the question as a new one.
            for _ in 0..ANSWER_POLLS {
                if !is_open().await? {
                    break;
                }
                tokio::time::sleep(ANSWER_POLL_INTERVAL).await;
            }
            Ok(())
        })
        .await
    }

    async fn stop(&self, address: &TaskAddress) -> Result<(), CallError> {
        let url = parse(&address.url).map_err(CallError::malformed)?;
        self.at(&url, async |endpoint| endpoint.cancel(&address.id).await)
            .await
    }
}

impl Runner for A2aRunner {
    fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("a2a")
    }

    fn start<'a>(&'a self, task: &'a RemoteTask) -> RunnerFuture<'a, String> {
        Box::pin(async move { self.find_or_start(task).await?.to_json() })
    }

    fn next_update<'a>(
        &'a self,
        task: &'a RemoteTaskHandle,
        cursor: Option<&'a str>,
    ) -> RunnerFuture<'a, RemoteUpdate> {
        Box::pin(async move {
            match RemoteId::of(task)? {
                RemoteId::Task(address) => Ok(self.follow(&task.task_id, &address, cursor).await?),
                RemoteId::Answered(content) => Ok(RemoteUpdate::completed(content)),
            }
        })
    }

    fn answer<'a>(
        &'a self,
        task: &'a RemoteTaskHandle,
        question_id: &'a str,
        answer: &'a Value,
    ) -> RunnerFuture<'a, ()> {
        Box::pin(async move {
            match RemoteId::of(task)? {
                RemoteId::Task(address) => Ok(self.deliver(&address, question_id, answer).await?),
                RemoteId::Answered(_) => Ok(()),
            }
        })
    }

    fn cancel<'a>(&'a self, task: &'a RemoteTaskHandle) -> RunnerFuture<'a, ()> {
        Box::pin(async move {
            lock(&self.followed).remove(&task.task_id);
            match RemoteId::of(task)? {
                RemoteId::Task(address) => Ok(self.stop(&address).await?),
                RemoteId::Answered(_) => Ok(()),
            }
        })
    }
}

impl fmt::Debug for A2aRunner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("A2aRunner")
            .field("kind", &self.kind())
            .field("servers", &self.servers)
            .finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An id that is the same whenever it is made of the same, and says nothing of that.
fn name_of(parts: &[&str]) -> String {
    Uuid::new_v5(&Uuid::NAMESPACE_OID, parts.join("\n").as_bytes()).to_string()
}

fn message(message_id: String, parts: Vec<a2a::Part>) -> Message {
    Message {
        message_id,
        ..Message::new(Role::User, parts)
    }
}

/// The message that answers a question. A server that has had it ignores it the second time.
fn answer_message(address: &TaskAddress, question_id: &str, answer: &Value) -> Message {
    let id = match question_id.starts_with(UNNAMED) {
        // The next question may seem to be the same.
        true => Uuid::new_v4().to_string(),
        false => name_of(&["answer", &address.id, question_id]),
    };
    let named = question_id
        .rsplit_once(' ')
        .map(|(message_id, _)| message_id);
    Message {
        context_id: Some(address.context_id.clone()),
        task_id: Some(address.id.clone()),
        metadata: named.map(|it| [(QUESTION.to_owned(), it.into())].into()),
        ..message(id, parts_of(answer.clone()))
    }
}

fn message_parts(task: &RemoteTask) -> Vec<a2a::Part> {
    let parts = task.message.parts.iter();
    let parts = parts.flat_map(|part| match part {
        Part::Text(text) => vec![a2a::Part::text(text)],
        Part::Data(data) => parts_of(data.clone()),
        // A later kind of part: what it says as JSON.
        other => parts_of(serde_json::to_value(other).unwrap_or_default()),
    });
    parts.collect()
}
