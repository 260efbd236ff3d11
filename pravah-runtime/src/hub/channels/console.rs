//! A run at a terminal: its steps as lines, its questions asked.

mod question;

use std::{
    collections::VecDeque,
    io::{self, BufRead, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

use tokio::{
    sync::{Notify, mpsc},
    task::AbortHandle,
};

use super::Channel;
use crate::{
    engine::Suspension,
    error::{BoxError, FlowError},
    events::{EventKind, FailureOutcome, FlowEvent},
    hub::{Hub, Inbox, Sent},
};

/// Shows a run as lines of text, asks its questions and sends what is typed: the answer to the question that was
/// asked first, or else a message to the agent that waits for one; an empty line lets that agent go on.
///
/// An answer is a text where the question takes one, `yes` or `no`, the name of a case, or else JSON. Where a tool call
/// is to be approved, or an agent's answer reviewed, `no` may be followed by the reason. One that is refused is asked
/// for again. Questions that somebody else answers are not asked any more. Once nothing more can be typed, as at the
/// end of a file, the run waits for others alone.
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
    screen: Arc<Screen>,
    /// What is read of the run. Only whoever types holds a hub: once nobody does, the run need not wait for them.
    inbox: Option<Arc<Inbox>>,
    /// Sends what is typed.
    typing: Option<AbortHandle>,
}

/// What is shown, and who waits for what is typed.
struct Screen {
    output: Mutex<Box<dyn Write + Send>>,
    open: Mutex<Open>,
    /// That somebody may wait for what is typed.
    changed: Notify,
}

/// The questions that are open, the first one first. Each has a number of its own: an id may come again.
#[derive(Default)]
struct Open {
    questions: VecDeque<(u64, Suspension)>,
    last: u64,
}

impl Screen {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, line: &str) -> io::Result<()> {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(output, "{line}")?;
        output.flush()
    }

    /// Asks a question, unless another one waits for its answer.
    fn ask(&self, question: Suspension) -> io::Result<()> {
        let mut open = self.open();
        let is_there = |(_, there): &(u64, Suspension)| there.tool_id == question.tool_id;
        if open.questions.iter().any(is_there) {
            return Ok(());
        }
        let text = question::text(&question);
        open.last = open.last.saturating_add(1);
        let number = open.last;
        open.questions.push_back((number, question));
        self.changed.notify_one();
        match open.questions.len() {
            1 => self.show(&text),
            _ => Ok(()),
        }
    }

    /// Forgets questions that need no answer any more, and asks the next one.
    fn close(&self, is_meant: impl Fn(u64, &str) -> bool) -> io::Result<()> {
        let mut open = self.open();
        let is_meant = |(number, there): &(u64, Suspension)| is_meant(*number, &there.tool_id);
        let was_first = open.questions.front().is_some_and(is_meant);
        open.questions.retain(|there| !is_meant(there));
        match open.questions.front() {
            Some((_, next)) if was_first => self.show(&question::text(next)),
            _ => Ok(()),
        }
    }

    /// Shows what became of a line that was typed, which may have been for a question.
    fn settle(&self, question: Option<u64>, taken: Result<u64, FlowError>) -> io::Result<()> {
        match taken {
            Err(error) if can_try_again(&error) => {
                return self.show(&format!("{error}; try again"));
            }
            Err(error) => self.show(&error.to_string())?,
            Ok(_) => {}
        }
        self.close(|number, _| Some(number) == question)
    }
}

/// Whether whoever was meant waits for another line. Otherwise they have an answer, or the run has ended.
fn can_try_again(error: &FlowError) -> bool {
    matches!(
        error,
        FlowError::ResumePayload { .. }
            | FlowError::SerializeError(_)
            | FlowError::InboxFull { .. }
    )
}

impl Console {
    /// The terminal of this process. A thread of its own reads what is typed, to the end of the process. So make one
    /// for each process: the thread of an earlier one takes the next line that is typed.
    pub fn new() -> Self {
        Self::with_io(io::BufReader::new(io::stdin()), io::stdout())
    }

    /// What is typed comes from `input`, line by line, and what is shown goes to `output`.
    pub fn with_io(
        input: impl BufRead + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> Self {
        Self {
            input: Some(Box::new(input)),
            screen: Arc::new(Screen {
                output: Mutex::new(Box::new(output)),
                open: Mutex::default(),
                changed: Notify::new(),
            }),
            inbox: None,
            typing: None,
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
        self.inbox = Some(Arc::clone(&hub.0));
        for question in hub.suspensions() {
            self.screen.ask(question)?;
        }
        if let Some(input) = self.input.take() {
            let lines = read_lines(input)?;
            let typing = tokio::spawn(send_lines(lines, hub, Arc::clone(&self.screen)));
            self.typing = Some(typing.abort_handle());
        }
        Ok(())
    }

    async fn on_event(&mut self, event: FlowEvent) -> Result<(), BoxError> {
        match &event.kind {
            EventKind::Asked { id, .. } => {
                let mut open = self.inbox.iter().flat_map(|it| it.suspensions());
                if let Some(question) = open.find(|it| it.tool_id == *id) {
                    self.screen.ask(question)?;
                }
            }
            EventKind::Replied { id, .. } => self.screen.close(|_, open| open == id)?,
            EventKind::Missed { .. } => self.catch_up()?,
            _ => {}
        }
        if let Some(line) = line_of(&event) {
            self.screen.show(&line)?;
        }
        if let EventKind::TurnEnded { id, .. } = &event.kind {
            let listening = self.inbox.iter().flat_map(|it| it.listening());
            for agent in listening.filter(|agent| agent.agent_run == *id) {
                let node = event.node.as_deref().unwrap_or_default();
                let hint = "(type a message, or an empty line to accept)";
                self.screen
                    .show(&format!("{node}: {}\n  {hint}", agent.answer))?;
            }
            self.screen.changed.notify_one();
        }
        Ok(())
    }

    async fn on_complete(&mut self) -> Result<(), BoxError> {
        self.stop();
        Ok(())
    }
}

impl Console {
    /// Asks what is open by now, and forgets what is not: the events that said so are lost.
    fn catch_up(&self) -> io::Result<()> {
        let open: Vec<Suspension> = self.inbox.iter().flat_map(|it| it.suspensions()).collect();
        self.screen
            .close(|_, id| open.iter().all(|it| it.tool_id != id))?;
        for question in open {
            self.screen.ask(question)?;
        }
        // An agent may wait for a message.
        self.screen.changed.notify_one();
        Ok(())
    }

    fn stop(&mut self) {
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

/// Sends each line to whoever waits for one, which may be later.
async fn send_lines(mut lines: mpsc::Receiver<String>, hub: Hub, screen: Arc<Screen>) {
    while let Some(line) = lines.recv().await {
        let (question, sent) = loop {
            if let Some(sent) = send_line(&line, &hub, &screen) {
                break sent;
            }
            screen.changed.notified().await;
        };
        // A terminal that is gone is found out by the next event.
        let _ = screen.settle(question, sent.await);
    }
}

/// Sends a line to whoever waits for one, if anybody does, with the number of the question that it answers.
fn send_line(line: &str, hub: &Hub, screen: &Screen) -> Option<(Option<u64>, Sent)> {
    if let Some((number, question)) = screen.open().questions.front() {
        let answer = question::answer(line, &question.value);
        return Some((Some(*number), hub.reply(&*question.tool_id, answer)));
    }
    let agent = hub.listening().into_iter().next()?.agent_run;
    let sent = match line.is_empty() {
        true => hub.close_agent(agent),
        false => hub.send_to_agent(agent, line),
    };
    Some((None, sent))
}

/// What is said of an event; nothing of most.
fn line_of(event: &FlowEvent) -> Option<String> {
    let node = event.node.as_deref().unwrap_or_default();
    Some(match &event.kind {
        EventKind::RunStarted { flow, .. } => format!("{flow} started"),
        EventKind::Step(step) => step.to_string(),
        EventKind::Failed {
            message, outcome, ..
        } => match outcome {
            FailureOutcome::Retried => format!("{message}; retrying"),
            FailureOutcome::Caught => format!("{message}; handled by a catch"),
            _ => message.clone(),
        },
        EventKind::Waits { model, why, .. } => {
            format!("{node}: {model} did not answer, retrying later: {why}")
        }
        EventKind::Paused => "paused".to_owned(),
        EventKind::Unpaused => "resumed".to_owned(),
        EventKind::Cancelled { reason, .. } => format!("cancelled: {reason}"),
        EventKind::Missed { count } => format!("{count} events were not shown"),
        EventKind::RunEnded { success: true, .. } => "done".to_owned(),
        _ => return None,
    })
}
