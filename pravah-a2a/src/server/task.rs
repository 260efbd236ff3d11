//! A task: what clients see of a run.

use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use a2a::{
    Artifact, Message, Part, Role, StreamResponse, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent,
};
use chrono::{DateTime, Utc};
use pravah_runtime::{Hub, Suspension};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;

use super::caller::Caller;
use crate::content::{UNTIL, parts_of};

/// A task, which its run and any number of requests share.
pub(super) struct Task {
    pub(super) id: String,
    pub(super) context_id: String,
    pub(super) agent: Arc<str>,
    pub(super) caller: Caller,
    /// Held while a message is accepted as an answer, one at a time.
    pub(super) answering: tokio::sync::Mutex<()>,
    /// Whether its client reads texts alone.
    wants_text: bool,
    state: Mutex<State>,
    /// How many updates there are.
    updates: watch::Sender<usize>,
    /// How much its messages and its result say, in bytes of JSON.
    size: AtomicUsize,
}

struct State {
    status: TaskStatus,
    history: Vec<Message>,
    artifacts: Vec<Artifact>,
    updates: Vec<StreamResponse>,
    /// Those that are open, in the order in which they were asked. The first one is in the status.
    questions: Vec<Suspension>,
    /// The message that was sent to the run as the answer to the question of this number.
    sent: Option<(u64, Message)>,
    /// The ids of the messages that it has accepted: a client that gets no answer sends a message again.
    accepted: HashSet<String>,
    /// What sends commands to the run, until that has ended.
    hub: Option<Hub>,
}

/// How a task ends.
pub(super) enum End {
    Completed(Value),
    Failed(String),
    Canceled,
}

/// What of a task an answer has.
#[derive(Clone, Copy)]
pub(super) struct View {
    /// How many of its last messages, or all.
    pub(super) history_length: Option<usize>,
    pub(super) has_artifacts: bool,
}

impl View {
    pub(super) const ALL: Self = Self {
        history_length: None,
        has_artifacts: true,
    };
}

impl Task {
    /// A task that a message starts.
    pub(super) fn new(
        (id, context_id): (String, String),
        agent: Arc<str>,
        caller: Caller,
        wants_text: bool,
        hub: Hub,
        message: Message,
    ) -> Self {
        let accepted = [message.message_id.clone()].into();
        let task = Self {
            state: Mutex::new(State {
                status: status(TaskState::Submitted, None),
                history: Vec::new(),
                artifacts: Vec::new(),
                updates: Vec::new(),
                questions: Vec::new(),
                sent: None,
                accepted,
                hub: Some(hub),
            }),
            id,
            context_id,
            agent,
            caller,
            wants_text,
            answering: tokio::sync::Mutex::new(()),
            updates: watch::Sender::new(0),
            size: AtomicUsize::new(0),
        };
        task.say(&mut task.lock(), message);
        task
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the protocol calls a task.
    pub(super) fn view(&self, view: View) -> a2a::Task {
        self.view_with_updates(view).0
    }

    /// The same, and how many updates have led there.
    pub(super) fn view_with_updates(&self, view: View) -> (a2a::Task, usize) {
        let state = self.lock();
        let skipped = view
            .history_length
            .map_or(0, |length| state.history.len().saturating_sub(length));
        let history: Vec<Message> = state.history.iter().skip(skipped).cloned().collect();
        let artifacts = view.has_artifacts.then(|| state.artifacts.clone());
        let task = a2a::Task {
            id: self.id.clone(),
            context_id: self.context_id.clone(),
            status: state.status.clone(),
            artifacts: artifacts.filter(|it| !it.is_empty()),
            history: Some(history).filter(|it| !it.is_empty()),
            metadata: None,
        };
        (task, state.updates.len())
    }

    /// The update of this number, if there is one yet.
    pub(super) fn update(&self, number: usize) -> Option<StreamResponse> {
        self.lock().updates.get(number).cloned()
    }

    /// How many updates there are, whenever that changes.
    pub(super) fn update_count(&self) -> watch::Receiver<usize> {
        self.updates.subscribe()
    }

    pub(super) fn state(&self) -> TaskState {
        self.lock().status.state.clone()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.state().is_terminal()
    }

    pub(super) fn updated_at(&self) -> DateTime<Utc> {
        self.lock().status.timestamp.unwrap_or_default()
    }

    pub(super) fn has_accepted(&self, message_id: &str) -> bool {
        self.lock().accepted.contains(message_id)
    }

    /// The question that a message answers, and the run that has asked it.
    pub(super) fn question(&self) -> Option<(Suspension, Hub)> {
        let state = self.lock();
        let question = state.questions.first()?;
        Some((question.clone(), state.hub.clone()?))
    }

    pub(super) fn hub(&self) -> Option<Hub> {
        self.lock().hub.clone()
    }

    /// Notes the message that is sent to the run as the answer to a question.
    pub(super) fn note_sent(&self, number: u64, message: Message) {
        self.lock().sent = Some((number, message));
    }

    /// Notes whether the run has accepted it. It may have gone on since.
    pub(super) fn note_accepted(&self, number: u64, is_accepted: bool) {
        let mut state = self.lock();
        if is_accepted {
            let open = state.questions.iter().filter(|it| it.number != number);
            let open = open.cloned().collect();
            self.ask(&mut state, open);
        }
        state.sent = None;
    }

    /// How much it says, in bytes of JSON.
    pub(super) fn size(&self) -> usize {
        self.size.load(Ordering::Relaxed)
    }

    fn grow(&self, added: &impl Serialize) {
        let size = serde_json::to_vec(added).map_or(0, |json| json.len());
        self.size.fetch_add(size, Ordering::Relaxed);
    }

    /// Adds the answer that was sent to the history, if there is one: the run has accepted it.
    fn take_sent(&self, state: &mut State) {
        if let Some((_, message)) = state.sent.take() {
            state.accepted.insert(message.message_id.clone());
            self.say(state, message);
        }
    }

    /// Adds a message to the history.
    fn say(&self, state: &mut State, message: Message) {
        self.grow(&message);
        let message = self.own(message);
        state.history.push(message);
    }

    /// Notes which questions of the run are open.
    pub(super) fn note_questions(&self, questions: Vec<Suspension>) {
        self.ask(&mut self.lock(), questions);
    }

    fn ask(&self, state: &mut State, questions: Vec<Suspension>) {
        if state.status.state.is_terminal() {
            return;
        }
        // The answer comes before what is asked next.
        let is_answered = |number: u64| questions.iter().all(|it| it.number != number);
        if state
            .sent
            .as_ref()
            .is_some_and(|(number, _)| is_answered(*number))
        {
            self.take_sent(state);
        }
        let number = |questions: &[Suspension]| questions.first().map(|it| it.number);
        let is_same = number(&questions) == number(&state.questions);
        state.questions = questions;
        if is_same && state.status.state != TaskState::Submitted {
            return;
        }
        let next = match state.questions.first() {
            Some(question) => {
                let message = self.question_message(question);
                self.say(state, message.clone());
                status(TaskState::InputRequired, Some(message))
            }
            None => status(TaskState::Working, None),
        };
        self.set_status(state, next);
    }

    /// Notes how the task ends, unless it has ended.
    pub(super) fn end(&self, end: End) {
        let mut state = self.lock();
        if state.status.state.is_terminal() {
            return;
        }
        state.hub = None;
        self.take_sent(&mut state);
        state.questions.clear();
        let status = match end {
            End::Completed(content) => {
                self.add_result(&mut state, content);
                status(TaskState::Completed, None)
            }
            End::Failed(reason) => {
                let id = format!("{}-failure", self.id);
                let message = self.message(id, vec![Part::text(reason)]);
                self.grow(&message);
                status(TaskState::Failed, Some(message))
            }
            End::Canceled => status(TaskState::Canceled, None),
        };
        self.set_status(&mut state, status);
    }

    fn add_result(&self, state: &mut State, content: Value) {
        let content = match (self.wants_text, content) {
            (true, data) if !data.is_string() => data.to_string().into(),
            (_, content) => content,
        };
        let artifact = Artifact {
            artifact_id: "result".to_owned(),
            name: Some("result".to_owned()),
            description: None,
            parts: parts_of(content),
            metadata: None,
            extensions: None,
        };
        self.grow(&artifact);
        state.artifacts.push(artifact.clone());
        let update = StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
            task_id: self.id.clone(),
            context_id: self.context_id.clone(),
            artifact,
            append: None,
            last_chunk: Some(true),
            metadata: None,
        });
        state.updates.push(update);
    }

    fn set_status(&self, state: &mut State, status: TaskStatus) {
        state.status = status.clone();
        let update = StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
            task_id: self.id.clone(),
            context_id: self.context_id.clone(),
            status,
            metadata: None,
        });
        state.updates.push(update);
        self.updates.send_replace(state.updates.len());
    }

    /// What the message of a question is called.
    pub(super) fn question_id(&self, question: &Suspension) -> String {
        format!("{}-question-{}", self.id, question.number)
    }

    /// A question as a text and as the value that the run asks with.
    fn question_message(&self, question: &Suspension) -> Message {
        let prompt = question.value.get("prompt").unwrap_or(&question.value);
        let prompt = prompt.as_str().map(Part::text);
        let data = (!question.value.is_string()).then(|| Part::data(question.value.clone()));
        let parts = prompt.into_iter().chain(data).collect();
        let id = self.question_id(question);
        let until = question.until.map(|until| millis(until).into());
        Message {
            metadata: until.map(|until| [(UNTIL.to_owned(), until)].into()),
            ..self.message(id, parts)
        }
    }

    fn message(&self, message_id: String, parts: Vec<Part>) -> Message {
        self.own(Message {
            message_id,
            ..Message::new(Role::Agent, parts)
        })
    }

    /// The same message as one of this task.
    fn own(&self, message: Message) -> Message {
        Message {
            task_id: Some(self.id.clone()),
            context_id: Some(self.context_id.clone()),
            ..message
        }
    }

    /// Waits until the task has ended or asks something.
    pub(super) async fn settled(&self) {
        self.until(is_settled).await;
    }

    /// Waits until the task has ended.
    pub(super) async fn ended(&self) {
        self.until(TaskState::is_terminal).await;
    }

    async fn until(&self, is_there: impl Fn(&TaskState) -> bool) {
        let mut updates = self.updates.subscribe();
        while !is_there(&self.state()) {
            // Its sender is that of this task.
            if updates.changed().await.is_err() {
                return;
            }
        }
    }
}

/// Whether whoever waits for the task has something to do or to read.
pub(super) fn is_settled(state: &TaskState) -> bool {
    state.is_terminal() || *state == TaskState::InputRequired
}

pub(super) fn status(state: TaskState, message: Option<Message>) -> TaskStatus {
    TaskStatus {
        state,
        message,
        timestamp: Some(Utc::now()),
    }
}

fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
