//! A run at a terminal: its steps as lines, its questions asked.

use std::{
    collections::VecDeque,
    io::{self, BufRead, Write},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use serde_json::Value;
use tokio::{sync::mpsc, task::AbortHandle};

use super::Channel;
use crate::{
    engine::Suspension,
    error::BoxError,
    events::{EventKind, FlowEvent},
    hub::Hub,
};

/// Shows a run as lines of text, asks its questions and sends what is typed: the answer to the question that was
/// asked first, or else a message to the agent that waits for one; an empty line lets that agent go on.
///
/// An answer is a text where the question takes one, `yes` or `no`, the name of a case, or else JSON. One that is
/// refused is asked for again. Questions that somebody else answers are not asked any more.
///
/// ```no_run
/// use pravah_runtime::{Channels, Console, prelude::*};
///
/// # #[state] struct Draft { text: String }
/// # #[state] struct Decided { published: bool }
/// # #[gate(prompt = "Publish this?")]
/// # fn approve(_draft: &Draft, yes: bool) -> Decided { Decided { published: yes } }
/// # #[flow] fn publish(draft: Draft) -> Decided { flow! { approve } }
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
/// let mut run = FlowRuntime::new(Draft { text: "…".into() })?;
/// let channels = Channels::new().with(Console::new());
/// run.serve_with(Context::default(), channels).await?;
/// # Ok(()) }
/// ```
pub struct Console {
    input: Option<Box<dyn BufRead + Send>>,
    screen: Screen,
    hub: Option<Hub>,
    open: Open,
    /// Sends what is typed.
    typing: Option<AbortHandle>,
}

type Screen = Arc<Mutex<Box<dyn Write + Send>>>;

/// The questions that are open, the first one first.
type Open = Arc<Mutex<VecDeque<Suspension>>>;

impl Console {
    /// The terminal of this process. A thread of its own reads what is typed, to the end of the process.
    pub fn new() -> Self {
        Self::on(io::BufReader::new(io::stdin()), io::stdout())
    }

    /// What is typed comes from `input`, line by line, and what is shown goes to `output`.
    pub fn on(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) -> Self {
        Self {
            input: Some(Box::new(input)),
            screen: Arc::new(Mutex::new(Box::new(output))),
            hub: None,
            open: Arc::default(),
            typing: None,
        }
    }

    fn open(&self) -> std::sync::MutexGuard<'_, VecDeque<Suspension>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks a question, unless another one waits for its answer.
    fn ask(&self, id: &str) -> io::Result<()> {
        let suspensions = self.hub.iter().flat_map(Hub::suspensions);
        let Some(question) = suspensions.into_iter().find(|it| it.tool_id == id) else {
            return Ok(());
        };
        let mut open = self.open();
        if open.iter().any(|there| there.tool_id == id) {
            return Ok(());
        }
        open.push_back(question);
        match open.front() {
            Some(first) if open.len() == 1 => show(&self.screen, &question_text(first)),
            _ => Ok(()),
        }
    }

    /// Forgets a question that has its answer, and asks the next one.
    fn close(&self, id: &str) -> io::Result<()> {
        let mut open = self.open();
        let was_first = open.front().is_some_and(|first| first.tool_id == id);
        open.retain(|question| question.tool_id != id);
        match open.front() {
            Some(next) if was_first => show(&self.screen, &question_text(next)),
            _ => Ok(()),
        }
    }
}

impl Default for Console {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Console {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Console").finish_non_exhaustive()
    }
}

impl Channel for Console {
    fn name(&self) -> &str {
        "console"
    }

    async fn on_start(&mut self, hub: Hub) -> Result<(), BoxError> {
        for question in hub.suspensions() {
            self.open().push_back(question);
        }
        if let Some(first) = self.open().front() {
            show(&self.screen, &question_text(first))?;
        }
        if let Some(input) = self.input.take() {
            let lines = read_lines(input)?;
            let (hub, screen, open) = (
                hub.clone(),
                Arc::clone(&self.screen),
                Arc::clone(&self.open),
            );
            let typing = tokio::spawn(send_lines(lines, hub, screen, open));
            self.typing = Some(typing.abort_handle());
        }
        self.hub = Some(hub);
        Ok(())
    }

    async fn on_event(&mut self, event: FlowEvent) -> Result<(), BoxError> {
        match &event.kind {
            EventKind::Asked { id, .. } => self.ask(id)?,
            EventKind::Replied { id, .. } => self.close(id)?,
            _ => {}
        }
        if let Some(line) = line_of(&event) {
            show(&self.screen, &line)?;
        }
        if let EventKind::TurnEnded { id, .. } = &event.kind {
            let listening = self.hub.iter().flat_map(Hub::listening);
            for agent in listening.filter(|agent| agent.agent_run == *id) {
                let node = event.node.as_deref().unwrap_or_default();
                show(
                    &self.screen,
                    &format!("{node} says {}, and listens", agent.answer),
                )?;
            }
        }
        Ok(())
    }

    async fn on_complete(&mut self) -> Result<(), BoxError> {
        self.stop();
        Ok(())
    }
}

impl Console {
    fn stop(&mut self) {
        self.hub = None;
        if let Some(typing) = self.typing.take() {
            typing.abort();
        }
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The lines that are typed. What is read blocks, and so a thread does it; the process does not wait for that.
fn read_lines(input: Box<dyn BufRead + Send>) -> io::Result<mpsc::Receiver<String>> {
    let (sender, lines) = mpsc::channel(1);
    let read = move || {
        let lines = input.lines().map_while(Result::ok);
        for line in lines {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    };
    thread::Builder::new()
        .name("pravah-console".to_owned())
        .spawn(read)?;
    Ok(lines)
}

/// Sends each line to whoever waits for one.
async fn send_lines(mut lines: mpsc::Receiver<String>, hub: Hub, screen: Screen, open: Open) {
    while let Some(line) = lines.recv().await {
        let question = open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .front()
            .cloned();
        let sent = match question {
            Some(question) => hub.reply(&*question.tool_id, answer(&line, &question.value)),
            None => match (hub.listening().first(), line.is_empty()) {
                (Some(agent), true) => hub.close_agent(&*agent.agent_run),
                (Some(agent), false) => hub.send_to_agent(&*agent.agent_run, line),
                (None, _) => continue,
            },
        };
        if let Err(error) = sent.await {
            // A terminal that is gone is found out by the next event.
            let _ = show(&screen, &format!("{error}; once more?"));
        }
    }
}

fn show(screen: &Screen, line: &str) -> io::Result<()> {
    let mut screen = screen.lock().unwrap_or_else(PoisonError::into_inner);
    writeln!(screen, "{line}")?;
    screen.flush()
}

/// What a person types, as the JSON that is asked for.
fn answer(line: &str, question: &Value) -> Value {
    let line = line.trim();
    let schema = question.get("schema");
    let text = || Value::from(line);
    let is_case = |case: &Value| case.as_str() == Some(line);
    if question
        .get("cases")
        .and_then(Value::as_array)
        .is_some_and(|it| it.iter().any(is_case))
    {
        return text();
    }
    match schema
        .and_then(|schema| schema.get("type"))
        .and_then(Value::as_str)
    {
        Some("string") => text(),
        Some("boolean") => match &*line.to_lowercase() {
            "y" | "yes" | "true" => Value::Bool(true),
            "n" | "no" | "false" => Value::Bool(false),
            _ => text(),
        },
        _ => serde_json::from_str(line).unwrap_or_else(|_| text()),
    }
}

/// What is asked, of what, and what may be answered.
fn question_text(question: &Suspension) -> String {
    let value = &question.value;
    let prompt = value.get("prompt").and_then(Value::as_str);
    let mut text = match prompt {
        Some(prompt) => format!("? {prompt}"),
        None => format!("? {}: {value}", question.tool_id),
    };
    if let Some(Value::Object(state)) = value.get("state") {
        for (name, value) in state {
            text.push_str(&format!("\n    {name}: {value}"));
        }
    }
    let cases = value.get("cases").and_then(Value::as_array);
    let cases: Vec<&str> = cases
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let kind = value.pointer("/schema/type").and_then(Value::as_str);
    let expected = match (&cases[..], kind) {
        ([], Some("boolean")) => "yes or no".to_owned(),
        ([], Some("string")) => "a text".to_owned(),
        ([], Some(kind)) => format!("JSON: {kind}"),
        ([], None) => return text,
        (cases, _) => cases.join(", "),
    };
    text.push_str(&format!("\n  ({expected})"));
    text
}

/// What is said of an event; nothing of most.
fn line_of(event: &FlowEvent) -> Option<String> {
    let node = event.node.as_deref().unwrap_or_default();
    Some(match &event.kind {
        EventKind::RunStarted { flow, .. } => format!("{flow} goes on"),
        EventKind::Step(step) => step.to_string(),
        EventKind::Failed {
            message, outcome, ..
        } => format!("{message} ({outcome:?})").to_lowercase(),
        EventKind::Waits { model, why, .. } => format!("{node} asks {model} again later: {why}"),
        EventKind::Paused => "paused".to_owned(),
        EventKind::Unpaused => "goes on".to_owned(),
        EventKind::Cancelled { reason, .. } => format!("cancelled: {reason}"),
        EventKind::Missed { count } => format!("{count} events were not shown"),
        EventKind::RunEnded { success: true, .. } => "done".to_owned(),
        _ => return None,
    })
}
