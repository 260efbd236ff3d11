//! A run of a document from its start to its end, with channels and what came of it.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{DocumentFlow, DocumentOutput, ends::EndRules, outcome::Outcome};
use crate::{
    context::Context,
    engine::{FlowRuntime, FlowSnapshot, RunOut, Suspension},
    error::FlowError,
    events::{FlowEvent, FlowObserver},
    hub::{Channel, Channels, Hub},
    numbers::millis,
};

/// One run of a document: channels attach to it, other tasks reach it through its [`Hub`], and [`run`](Self::run)
/// says what came of it.
///
/// ```
/// use pravah_runtime::{document::{DocumentFlow, NodeRegistry, SessionStatus}, prelude::*};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let text = r#"
/// flow: { name: greet }
/// nodes:
///   - { id: hello, type: echo, input: { text: "Hello, {{ flow.input.name }}!" } }
/// edges: []
/// "#;
/// let flow = DocumentFlow::read("greet.yaml", text, &NodeRegistry::standard())?;
/// let session = flow.session(json!({ "name": "Ada" }))?.with_id("greet-7");
/// let result = session.run(Context::default()).await?;
/// assert_eq!(result.status, SessionStatus::Complete);
/// assert_eq!(result.outputs["hello"], json!({ "text": "Hello, Ada!" }));
/// # Ok(()) }
/// ```
pub struct Session {
    run: FlowRuntime<DocumentFlow>,
    channels: Channels,
    events: Option<Arc<Collector>>,
    end: EndRules,
    waits_for_answers: bool,
}

/// What came of a session.
#[derive(Debug)]
#[non_exhaustive]
pub struct SessionResult {
    /// The outputs of the nodes by their ids, as far as the run has come; see
    /// [`DocumentOutput`](super::DocumentOutput).
    pub outputs: Map<String, Value>,
    /// What happened, if [`collect_events`](Session::collect_events) was called.
    pub events: Vec<FlowEvent>,
    /// How long this call of `run` or `drive` took.
    pub duration: Duration,
    /// How it ended.
    pub status: SessionStatus,
    /// The failure that stopped it.
    pub error: Option<FlowError>,
    /// What it waits for, if it is suspended.
    pub suspensions: Vec<Suspension>,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionStatus {
    /// All of its nodes have ended, and every failure was handled.
    Complete,
    /// A node failed, and nothing handled the failure.
    Failed,
    /// It was cancelled.
    Cancelled,
    /// It waits for an answer, an event or `unpause`, and nobody is there who could send it.
    Suspended,
}

impl DocumentFlow {
    /// A session that is about to start; `input` is as in [`start`](Self::start). Its id is `flow-` and the time,
    /// unless [`with_id`](Session::with_id) sets another one.
    ///
    /// # Errors
    ///
    /// Those of [`start`](Self::start).
    pub fn session(&self, input: Value) -> Result<Session, FlowError> {
        let id = format!("flow-{}", next_time());
        Ok(Session::new(self.start(input)?.with_run_id(id), self))
    }

    /// A session that goes on with a run that was restored or has made steps.
    pub fn session_of(&self, run: FlowRuntime<Self>) -> Session {
        Session::new(run, self)
    }
}

impl Session {
    fn new(run: FlowRuntime<DocumentFlow>, flow: &DocumentFlow) -> Self {
        Self {
            run,
            channels: Channels::new(),
            events: None,
            end: flow.end_rules(),
            waits_for_answers: true,
        }
    }

    /// Names the session. It is part of step keys, so set it before the first step.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.run = self.run.with_run_id(id);
        self
    }

    /// Changes the run, with the functions of [`FlowRuntime`].
    ///
    /// ```
    /// # use pravah_runtime::{document::{DocumentFlow, NodeRegistry}, prelude::*};
    /// # let text = "flow: { name: empty }\nnodes: []\nedges: []\n";
    /// # let flow = DocumentFlow::read("empty.yaml", text, &NodeRegistry::standard())?;
    /// let session = flow.session(serde_json::json!({}))?.with_run(|run| run.with_concurrency(8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_run(
        mut self,
        change: impl FnOnce(FlowRuntime<DocumentFlow>) -> FlowRuntime<DocumentFlow>,
    ) -> Self {
        self.run = change(self.run);
        self
    }

    /// Attaches a channel. Channels start in the order in which they were attached, before the run does.
    #[must_use]
    pub fn attach(mut self, channel: impl Channel) -> Self {
        self.channels = self.channels.with(channel);
        self
    }

    /// Attaches a channel without which the session is not to run.
    #[must_use]
    pub fn attach_required(mut self, channel: impl Channel) -> Self {
        self.channels = self.channels.with_required(channel);
        self
    }

    /// Keeps what happens for the result: the first `limit` events.
    #[must_use]
    pub fn collect_events(mut self, limit: usize) -> Self {
        let collector = Arc::new(Collector {
            limit,
            events: Mutex::default(),
        });
        self.run = self.run.with_observer(Shared(Arc::clone(&collector)));
        self.events = Some(collector);
        self
    }

    /// Makes [`run`](Self::run) return as suspended once only questions are open, instead of waiting for an answer or a
    /// timeout. For hosts that store the run, and go on with it when the answer arrives; timeouts keep running
    /// meanwhile.
    ///
    /// ```
    /// use pravah_runtime::{document::{DocumentFlow, NodeRegistry, SessionStatus}, prelude::*};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let text = "
    /// flow: { name: review }
    /// nodes: [{ id: ask, type: control.gate, input: { prompt: Publish? }, policy: { timeoutMs: 86400000 } }]
    /// edges: []
    /// ";
    /// let flow = DocumentFlow::read("review.yaml", text, &NodeRegistry::standard())?;
    /// let session = flow.session(serde_json::json!({}))?.suspend_at_questions();
    /// let result = session.run(Context::default()).await?;
    /// assert_eq!(result.status, SessionStatus::Suspended);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub const fn suspend_at_questions(mut self) -> Self {
        self.waits_for_answers = false;
        self
    }

    /// The handle for other tasks. As long as somebody holds one the session waits for answers and events.
    pub fn hub(&mut self) -> Hub {
        self.run.hub()
    }

    /// Runs to the end, or until it waits for what nobody can send: for the answer to a question if neither a channel
    /// nor a [`Hub`] is there. A failure that stops the run is part of the result.
    ///
    /// # Errors
    ///
    /// [`FlowError::Channel`] if a required channel could not start.
    pub async fn run(mut self, ctx: Context) -> Result<SessionResult, FlowError> {
        self.drive(ctx).await
    }

    /// The same, and keeps the session: to store the snapshot of one that is suspended. Dropping the future leaves the
    /// run as it was before the step that is dropped.
    ///
    /// Channels are used by the first call only: attach them again after it.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run).
    pub async fn drive(&mut self, ctx: Context) -> Result<SessionResult, FlowError> {
        let started = self.run.now();
        let channels = std::mem::take(&mut self.channels);
        let end = |run: &mut FlowRuntime<DocumentFlow>, error: &FlowError| {
            if !matches!(error, FlowError::Finished | FlowError::Cancelled { .. }) {
                run.end_failed(error);
            }
        };
        let out = match self
            .run
            .serve_until(ctx, channels, self.waits_for_answers, end)
            .await
        {
            // An answer was its last step, or it was stored when it was done.
            Err(FlowError::Finished) => match self.run.output()? {
                Some(done) => Ok(RunOut::Done(DocumentOutput::clone(&done))),
                None => Err(FlowError::Finished),
            },
            out => out,
        };
        let (status, error, outputs) = match out {
            Ok(RunOut::Done(done)) if done.failed.is_empty() => {
                (SessionStatus::Complete, None, Some(done.outputs))
            }
            Ok(RunOut::Done(done)) => (SessionStatus::Failed, None, Some(done.outputs)),
            Ok(_) => (SessionStatus::Suspended, None, None),
            Err(error @ FlowError::Channel { .. }) => return Err(error),
            Err(error @ FlowError::Cancelled { .. }) => {
                (SessionStatus::Cancelled, Some(error), None)
            }
            Err(error) => (SessionStatus::Failed, Some(error), None),
        };
        Ok(SessionResult {
            outputs: outputs.unwrap_or_else(|| self.outputs()),
            events: self
                .events
                .as_deref()
                .map_or_else(Vec::new, Collector::take),
            duration: Duration::from_millis(self.run.now().saturating_sub(started)),
            status,
            error,
            suspensions: self.run.suspensions(),
        })
    }

    /// Answers an open question, as [`FlowRuntime::answer`] does.
    ///
    /// # Errors
    ///
    /// Those of [`FlowRuntime::answer`].
    pub async fn answer(&mut self, ctx: Context, id: &str, answer: Value) -> Result<(), FlowError> {
        self.run.answer(ctx, id, answer).await?;
        Ok(())
    }

    /// The run as it is.
    pub fn snapshot(&self) -> FlowSnapshot {
        self.run.snapshot()
    }

    /// The outputs so far, with markers of the nodes that have failed.
    fn outputs(&self) -> Map<String, Value> {
        let output = self.end.output(self.run.latest());
        let mut outputs = output
            .get::<DocumentOutput>()
            .map_or_else(|_| Map::new(), |output| output.outputs.clone());
        for (id, region, failure) in self.run.failed_nodes() {
            // The region of a loop edge is called `from..to`, and fails with its last node. One in a subflow has `::` in
            // its id, and its last node may be called as one of this document.
            let last = id.split_once("..").map(|(_, last)| last);
            let last = last.filter(|_| !id.contains("::"));
            let mut shown = [Some(&*id), last, region.as_deref()].into_iter().flatten();
            if let Some(shown) = shown.find(|id| self.end.has(id)) {
                let outcome = Outcome::failed(&failure, false);
                outputs.insert(shown.to_owned(), outcome.value().clone());
            }
        }
        outputs
    }
}

impl SessionResult {
    /// The result as JSON, as `pravah run --json` prints it: `outputs`, `status`, `durationMs`, and `error` where a
    /// failure stopped the run, and `questions` where it waits for answers.
    pub fn to_json(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("outputs".to_owned(), Value::Object(self.outputs.clone()));
        let status = serde_json::to_value(self.status).unwrap_or_default();
        fields.insert("status".to_owned(), status);
        let duration = millis(self.duration);
        fields.insert("durationMs".to_owned(), Value::from(duration));
        if let Some(error) = &self.error {
            fields.insert("error".to_owned(), Value::String(error.to_string()));
        }
        if !self.suspensions.is_empty() {
            let open = self.suspensions.iter();
            let open = open.map(|open| json!({ "id": open.tool_id, "question": open.value }));
            fields.insert("questions".to_owned(), open.collect());
        }
        Value::Object(fields)
    }
}

/// The time in nanoseconds, or the next one if somebody has that: ids of sessions are part of step keys.
fn next_time() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = u64::try_from(since.unwrap_or_default().as_nanos()).unwrap_or(u64::MAX);
    let next = |last: u64| now.max(last.saturating_add(1));
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
        Some(next(last))
    });
    next(last.unwrap_or_default())
}

/// Keeps events, up to a limit.
struct Collector {
    limit: usize,
    events: Mutex<Vec<FlowEvent>>,
}

struct Shared(Arc<Collector>);

impl Collector {
    fn take(&self) -> Vec<FlowEvent> {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *events)
    }
}

impl FlowObserver for Shared {
    fn on_event(&self, event: &FlowEvent) {
        let events = self.0.events.lock();
        let mut events = events.unwrap_or_else(PoisonError::into_inner);
        if events.len() < self.0.limit {
            events.push(event.clone());
        }
    }
}
