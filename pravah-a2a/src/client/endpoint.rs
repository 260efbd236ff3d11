//! From the card of an agent to what is asked of it.

use std::time::Duration;

use a2a::{
    AgentCard, AgentInterface, CancelTaskRequest, GetTaskRequest, ListTasksRequest, Message,
    SendMessageConfiguration, SendMessageRequest, SendMessageResponse, SubscribeToTaskRequest,
    Task, error_code as code, methods,
};
use pravah_runtime::{
    __private::http_client,
    invocation::{RunnerError, RunnerErrorKind},
    reqwest::Url,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    error::CallError,
    servers::{Servers, parse},
    transport::{self, Binding, Events, Transport},
};

/// How long a server has for its card, and for what it need not work for.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How long it has for a message: an agent that makes no task of it answers when it has done its work.
const SEND_TIMEOUT: Duration = Duration::from_secs(600);

/// An agent that is reached over the first interface of its card that this client speaks.
pub(super) struct Endpoint {
    transport: Transport,
    has_streams: bool,
}

impl Endpoint {
    /// Reads the card of the agent at `url`.
    pub(super) async fn connect(url: &Url, servers: &Servers) -> Result<Self, CallError> {
        let client = client_for(url)?;
        let token = servers.token_for(url);
        let card = in_time(transport::card(&client, url, token)).await;
        let card: AgentCard = card.map_err(|error| match error.is_unknown_task() {
            true => no_card(url),
            false => error,
        })?;
        let (binding, interface) = interface_of(&card)?;
        let of_card = |why: String| {
            let why = format!(
                "the card below `{url}` names the address of its agent, which its server was given: {why}"
            );
            CallError::from(RunnerError::new(RunnerErrorKind::InvalidConfig, why))
        };
        let url = parse(&interface.url).map_err(of_card)?;
        servers
            .check(&url)
            .map_err(|error| of_card(error.to_string()))?;
        Ok(Self {
            transport: Transport {
                client: client_for(&url)?,
                binding,
                token: servers.token_for(&url).map(str::to_owned),
                url,
                tenant: interface.tenant.clone().filter(|it| !it.is_empty()),
            },
            has_streams: card.capabilities.streaming == Some(true),
        })
    }

    /// Sends a message. The answer comes as soon as there is a task: an agent without tasks may take its time.
    pub(super) async fn send(&self, message: Message) -> Result<SendMessageResponse, CallError> {
        let request = SendMessageRequest {
            message,
            configuration: Some(SendMessageConfiguration {
                accepted_output_modes: None,
                task_push_notification_config: None,
                history_length: Some(0),
                return_immediately: Some(true),
            }),
            metadata: None,
            tenant: None,
        };
        let params = params(&request)?;
        let sent = self.transport.call(methods::SEND_MESSAGE, params);
        within(SEND_TIMEOUT, sent).await
    }

    pub(super) async fn get(&self, id: &str) -> Result<Task, CallError> {
        let params = params(&GetTaskRequest {
            id: id.to_owned(),
            history_length: Some(0),
            tenant: None,
        })?;
        in_time(self.transport.call(methods::GET_TASK, params)).await
    }

    /// The task of this context, if the server knows one and lists its tasks.
    pub(super) async fn find(&self, context_id: &str) -> Result<Option<Task>, CallError> {
        let params = params(&ListTasksRequest {
            context_id: Some(context_id.to_owned()),
            status: None,
            page_size: Some(1),
            page_token: None,
            history_length: Some(0),
            status_timestamp_after: None,
            include_artifacts: None,
            tenant: None,
        })?;
        let listed = in_time(self.transport.call(methods::LIST_TASKS, params)).await;
        match listed {
            Ok(Listed { tasks }) => Ok(tasks.into_iter().find(|it| it.context_id == context_id)),
            Err(error) if error.is_unsupported() => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn cancel(&self, id: &str) -> Result<(), CallError> {
        let params = params(&CancelTaskRequest {
            id: id.to_owned(),
            metadata: None,
            tenant: None,
        })?;
        let cancelled = self.transport.call::<Value>(methods::CANCEL_TASK, params);
        match in_time(cancelled).await {
            Err(error) if error.is_unknown_task() || error.is(code::TASK_NOT_CANCELABLE) => Ok(()),
            outcome => outcome.map(drop),
        }
    }

    /// What happens in a task from now on, if the server sends it. Where it does not, whatever it says, the task can be
    /// asked for: it may have ended, or the server has no streams after all.
    pub(super) async fn subscribe(&self, id: &str) -> Option<Events> {
        if !self.has_streams {
            return None;
        }
        let params = params(&SubscribeToTaskRequest {
            id: id.to_owned(),
            tenant: None,
        });
        let events = self
            .transport
            .stream(methods::SUBSCRIBE_TO_TASK, params.ok()?);
        in_time(events).await.ok()
    }
}

fn no_card(url: &Url) -> CallError {
    let why = format!(
        "no card of an agent is below `{url}`: an `A2aServer` of several agents has each at `/agents/NAME`"
    );
    RunnerError::new(RunnerErrorKind::UnknownAgent, why).into()
}

fn client_for(url: &Url) -> Result<pravah_runtime::reqwest::Client, CallError> {
    http_client(url).map_err(|error| {
        let why = "the HTTP client could not be set up";
        RunnerError::new(RunnerErrorKind::InvalidConfig, why)
            .with_source(error)
            .into()
    })
}

/// The first interface of a version and a binding that this client speaks.
fn interface_of(card: &AgentCard) -> Result<(Binding, &AgentInterface), CallError> {
    let mut interfaces = card.supported_interfaces.iter();
    let found = interfaces.find_map(|it| {
        let is_known = it.protocol_version.split('.').next() == Some("1");
        let binding = Binding::named(&it.protocol_binding).filter(|_| is_known);
        binding.map(|binding| (binding, it))
    });
    found.ok_or_else(|| {
        let offered = card.supported_interfaces.iter();
        let offered = offered.map(|it| format!("{} {}", it.protocol_binding, it.protocol_version));
        let offered = match offered.collect::<Vec<_>>().join(", ") {
            offered if offered.is_empty() => "none".to_owned(),
            offered => offered,
        };
        let why = format!(
            "the card of the agent has no interface for JSONRPC or HTTP+JSON of version 1; it offers: {offered}"
        );
        RunnerError::new(RunnerErrorKind::Refused, why).into()
    })
}

fn params(request: &impl Serialize) -> Result<Map<String, Value>, CallError> {
    match serde_json::to_value(request) {
        Ok(Value::Object(params)) => Ok(params),
        _ => Err(RunnerError::new(
            RunnerErrorKind::Refused,
            "the message cannot be written as JSON",
        )
        .into()),
    }
}

async fn in_time<T>(asked: impl Future<Output = Result<T, CallError>>) -> Result<T, CallError> {
    within(TIMEOUT, asked).await
}

async fn within<T>(
    limit: Duration,
    asked: impl Future<Output = Result<T, CallError>>,
) -> Result<T, CallError> {
    let late = |_| {
        let why = format!("the server has not answered within {limit:?}");
        Err(RunnerError::new(RunnerErrorKind::Unavailable, why).into())
    };
    tokio::time::timeout(limit, asked)
        .await
        .unwrap_or_else(late)
}

/// What is read of a list of tasks.
#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    tasks: Vec<Task>,
}
