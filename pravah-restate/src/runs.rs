//! The handle with which programs reach runs on Restate.

use std::{collections::BTreeMap, fmt, future::IntoFuture, pin::Pin};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use pravah_runtime::{__private::http_client, FlowDef};
use pravah_store::{Command, Refusal, RunInfo, RunKey, host::with_sources};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    RestateError,
    flows::DEFAULT_NAME,
    message::{Answer, Cancel, RunStatus, Start},
};

/// Starts runs on Restate, tells them something, and reads their results, over Restate's ingress. It can be cloned.
///
/// It is modelled on [`pravah_store::Runs`]. Whoever reaches the ingress reaches the runs of all tenants.
///
/// ```no_run
/// use pravah_restate::RestateRuns;
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Draft { text: String }
/// #[state] #[derive(Debug)] struct Decided { published: bool }
///
/// #[gate(prompt = "Publish this?")]
/// fn approve(_draft: &Draft, yes: bool) -> Decided { Decided { published: yes } }
///
/// #[flow]
/// fn publish(draft: Draft) -> Decided { flow! { approve } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runs = RestateRuns::new("http://127.0.0.1:8080");
/// let id = runs.start::<Draft>(Draft { text: "…".into() }).with_id("draft-7").await?;
/// # while runs.status(&id).await?.questions.is_empty() {}
/// runs.answer(&id, "approve", true).await?;
/// println!("{:?}", runs.result::<Draft>(&id).await?);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct RestateRuns {
    /// Or why there is none.
    client: Result<reqwest::Client, String>,
    ingress: String,
    name: String,
    tenant: Option<String>,
}

impl RestateRuns {
    /// A handle to the runs that belong to no tenant, by the address of the ingress, such as `http://127.0.0.1:8080`. Where
    /// that is no URL, calls fail with [`RestateError::Unreachable`].
    pub fn new(ingress: impl Into<String>) -> Self {
        let ingress = ingress.into().trim_end_matches('/').to_owned();
        Self {
            client: client_for(&ingress),
            ingress,
            name: DEFAULT_NAME.to_owned(),
            tenant: None,
        }
    }

    /// The same with an HTTP client of your own, which may add headers, such as a token.
    #[must_use]
    pub fn with_client(mut self, client: reqwest::Client) -> Self {
        self.client = Ok(client);
        self
    }

    /// The same for an object of [another name](crate::RestateFlows::with_name).
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// A handle to the runs of this tenant. The same id may be another run of each tenant.
    ///
    /// # Errors
    ///
    /// [`RestateError::Name`] if `tenant` is empty, longer than 256 bytes, or has a control character or a `/`.
    pub fn of_tenant(&self, tenant: impl Into<String>) -> Result<Self, RestateError> {
        let tenant = tenant.into();
        RunKey::new("id")?.of_tenant(&*tenant)?;
        Ok(Self {
            tenant: Some(tenant),
            ..self.clone()
        })
    }

    /// Starts a run of a flow when it is awaited, and returns its id: that of [`StartRun::with_id`], or a UUID of
    /// version 7.
    ///
    /// # Errors
    ///
    /// [`RestateError::NotFound`] if the flow is not served; [`RestateError::Refused`] if the flow cannot be built or a tag
    /// breaks the rules; [`RestateError::Conflict`] if a run of the id exists and is of another flow. A run of the same flow
    /// is left as it is, whatever its input.
    pub fn start<F: FlowDef>(&self, input: F::Input) -> StartRun<'_> {
        let input = serde_json::to_value(input);
        StartRun {
            runs: self,
            flow: F::node_id(),
            input: input.map_err(RestateError::json("the input")),
            id: None,
            tags: BTreeMap::new(),
        }
    }

    /// Where a run is: its status, what it waits for, the questions that are open, and why it has failed.
    ///
    /// # Errors
    ///
    /// [`RestateError::NotFound`].
    pub async fn status(&self, id: &str) -> Result<RunInfo, RestateError> {
        let key = self.key(id)?;
        let status: RunStatus = self.call(&key, "status", &()).await?;
        Ok(status.info(key))
    }

    /// The last 16 commands that the run could not take, such as answers that do not fit their questions, and why.
    ///
    /// # Errors
    ///
    /// [`RestateError::NotFound`].
    pub async fn refused(&self, id: &str) -> Result<Vec<Refusal>, RestateError> {
        let status: RunStatus = self.call(&self.key(id)?, "status", &()).await?;
        Ok(status.refused)
    }

    /// What a run of the flow `F` returned; nothing before it is done.
    ///
    /// # Errors
    ///
    /// [`RestateError::NotFound`]; [`RestateError::OtherFlow`]; [`RestateError::Json`] if the output is not of this type
    /// any more.
    pub async fn output<F: FlowDef>(&self, id: &str) -> Result<Option<F::Output>, RestateError> {
        let info = self.status_of::<F>(id).await?;
        let output = info.output.as_deref().map(serde_json::from_str);
        output.transpose().map_err(RestateError::json("the output"))
    }

    /// Waits until a run has ended, and returns its output. One that has failed is waited for: it may be tried again.
    ///
    /// # Errors
    ///
    /// [`RestateError::Conflict`] if the run was cancelled; those of [`output`](Self::output).
    pub async fn result<F: FlowDef>(&self, id: &str) -> Result<F::Output, RestateError> {
        self.status_of::<F>(id).await?;
        self.call(&self.key(id)?, "result", &()).await
    }

    /// The status of a run of the flow `F`.
    async fn status_of<F: FlowDef>(&self, id: &str) -> Result<RunInfo, RestateError> {
        let (info, asked) = (self.status(id).await?, F::node_id());
        if info.flow == asked {
            return Ok(info);
        }
        Err(RestateError::OtherFlow {
            run: id.to_owned(),
            flow: info.flow,
            asked,
        })
    }

    /// Answers a question that is open. It returns the number of the command once the answer is stored; one that does not
    /// fit is [`refused`](Self::refused) later, and the question stays open.
    ///
    /// # Errors
    ///
    /// [`RestateError::Conflict`] if no question of this id is open, or if it is answered already; [`RestateError::Json`];
    /// those of [`send`](Self::send).
    pub async fn answer(
        &self,
        id: &str,
        question: &str,
        answer: impl Serialize,
    ) -> Result<u64, RestateError> {
        let answer = Answer {
            question: question.to_owned(),
            number: None,
            answer: to_json(answer)?,
        };
        self.call(&self.key(id)?, "answer", &answer).await
    }

    /// Emits an event, which the first gate that waits for its name takes.
    ///
    /// # Errors
    ///
    /// [`RestateError::Json`]; those of [`send`](Self::send).
    pub async fn emit(
        &self,
        id: &str,
        name: impl Into<String>,
        value: impl Serialize,
    ) -> Result<u64, RestateError> {
        let (name, value) = (name.into(), to_json(value)?);
        self.send(id, Command::Emit { name, value }).await
    }

    /// Sends a message to the agent at a node.
    ///
    /// # Errors
    ///
    /// Those of [`send`](Self::send).
    pub async fn message(
        &self,
        id: &str,
        node: impl Into<String>,
        text: impl Into<String>,
    ) -> Result<u64, RestateError> {
        let (node, text) = (node.into(), text.into());
        self.send(id, Command::Message { node, text }).await
    }

    /// Ends a run: the running step is aborted, in whichever process. It returns before the run has ended.
    ///
    /// # Errors
    ///
    /// [`RestateError::NotFound`]; [`RestateError::Conflict`] if the run has ended.
    pub async fn cancel(&self, id: &str, reason: impl Into<String>) -> Result<(), RestateError> {
        let reason = reason.into();
        self.tell(&self.key(id)?, "cancel", &Cancel { reason })
            .await
    }

    /// Tells a run anything, also an answer to a question that is asked later, and returns the number of the command. Where
    /// a step is running, it returns after that step.
    ///
    /// # Errors
    ///
    /// [`RestateError::NotFound`]; [`RestateError::Conflict`] if the run has ended; [`RestateError::Refused`] if too many
    /// commands wait, or it is nested so deeply that it could not be read again.
    pub async fn send(&self, id: &str, command: Command) -> Result<u64, RestateError> {
        self.call(&self.key(id)?, "send", &command).await
    }

    /// Resumes a failed run where it failed. A run that is ready runs its next step, if that was lost
    /// because somebody has killed its invocation.
    ///
    /// # Errors
    ///
    /// [`RestateError::NotFound`]; [`RestateError::Conflict`] if it is in another status.
    pub async fn retry(&self, id: &str) -> Result<(), RestateError> {
        self.tell(&self.key(id)?, "retry", &()).await
    }

    /// Forgets a run that has ended. Nothing else does.
    ///
    /// # Errors
    ///
    /// [`RestateError::NotFound`]; [`RestateError::Conflict`] if it has not ended.
    pub async fn delete(&self, id: &str) -> Result<(), RestateError> {
        self.tell(&self.key(id)?, "delete", &()).await
    }

    fn key(&self, id: &str) -> Result<RunKey, RestateError> {
        let key = RunKey::new(id)?;
        Ok(match &self.tenant {
            Some(tenant) => key.of_tenant(tenant)?,
            None => key,
        })
    }

    /// Calls a handler that returns something.
    async fn call<T: DeserializeOwned>(
        &self,
        key: &RunKey,
        handler: &str,
        input: &impl Serialize,
    ) -> Result<T, RestateError> {
        let response = self.tell_and_read(key, handler, input).await?;
        serde_json::from_slice(&response).map_err(RestateError::json("the response"))
    }

    /// Calls a handler that returns nothing.
    async fn tell(
        &self,
        key: &RunKey,
        handler: &str,
        input: &impl Serialize,
    ) -> Result<(), RestateError> {
        self.tell_and_read(key, handler, input).await.map(drop)
    }

    async fn tell_and_read(
        &self,
        key: &RunKey,
        handler: &str,
        input: &impl Serialize,
    ) -> Result<Vec<u8>, RestateError> {
        let object = key.run_id();
        let object = utf8_percent_encode(&object, NON_ALPHANUMERIC);
        let url = format!("{}/{}/{object}/{handler}", self.ingress, self.name);
        let client = self.client.as_ref();
        let client = client.map_err(|why| RestateError::unreachable(why.clone()))?;
        let request = client.post(url);
        let input = serde_json::to_value(input).map_err(RestateError::json("the request"))?;
        // A handler without an input takes no body.
        let request = match input {
            Value::Null => request,
            input => request.json(&input),
        };
        let response = request.send().await.map_err(RestateError::unreachable)?;
        let status = response.status();
        let body = response.bytes().await.map_err(RestateError::unreachable)?;
        if status.is_success() {
            return Ok(body.to_vec());
        }
        let message = match serde_json::from_slice::<Failed>(&body) {
            Ok(failed) => failed.message,
            Err(_) => String::from_utf8_lossy(&body).into_owned(),
        };
        Err(RestateError::of_response(
            key.id(),
            status.as_u16(),
            message,
        ))
    }
}

/// What Restate says where a handler failed.
#[derive(Deserialize)]
struct Failed {
    message: String,
}

fn client_for(ingress: &str) -> Result<reqwest::Client, String> {
    let url = reqwest::Url::parse(ingress).map_err(|error| format!("{ingress:?}: {error}"))?;
    http_client(&url).map_err(|error| with_sources(&error))
}

fn to_json(value: impl Serialize) -> Result<Value, RestateError> {
    serde_json::to_value(value).map_err(RestateError::json("a value"))
}

/// A run that starts when this is awaited; see [`RestateRuns::start`].
#[must_use = "it starts when it is awaited"]
pub struct StartRun<'a> {
    runs: &'a RestateRuns,
    flow: String,
    input: Result<Value, RestateError>,
    id: Option<String>,
    tags: BTreeMap<String, String>,
}

impl StartRun<'_> {
    /// Names the run. A second run of this name is not started: the id of an order, say, makes the start idempotent.
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Adds a tag, which is kept with the run.
    pub fn with_tag(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.tags.insert(name.into(), value.into());
        self
    }
}

impl<'a> IntoFuture for StartRun<'a> {
    type Output = Result<String, RestateError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let id = self.id.unwrap_or_else(|| Uuid::now_v7().to_string());
            let start = Start {
                flow: self.flow,
                input: self.input?,
                tags: self.tags,
            };
            let _is_new: bool = self
                .runs
                .call(&self.runs.key(&id)?, "start", &start)
                .await?;
            Ok(id)
        })
    }
}

impl fmt::Debug for StartRun<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartRun")
            .field("flow", &self.flow)
            .field("id", &self.id)
            .field("tags", &self.tags)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for RestateRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RestateRuns")
            .field("ingress", &self.ingress)
            .field("name", &self.name)
            .field("tenant", &self.tenant)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_handle_is_made_whatever_the_address_and_calls_say_what_is_wrong_with_it() {
        let refused = RestateRuns::new("nowhere").status("7").await;
        let Err(RestateError::Unreachable { source }) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(
            source.to_string(),
            r#""nowhere": relative URL without a base"#
        );
        for ingress in ["https://127.0.0.1:1", "http://127.0.0.1:1"] {
            let refused = RestateRuns::new(ingress).status("7").await;
            assert!(
                matches!(refused, Err(RestateError::Unreachable { .. })),
                "{refused:?}"
            );
        }
    }
}
