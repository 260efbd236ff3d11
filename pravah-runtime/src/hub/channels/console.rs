//! A run at a terminal: its steps as lines, its questions asked.

mod question;
mod screen;

use std::{
    io::{self, BufRead, Write},
    sync::Arc,
    thread,
};

use tokio::{sync::mpsc, task::AbortHandle};

use self::screen::{Screen, quoted};
use super::Channel;
use crate::{
    error::BoxError,
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
/// What is shown is written by a thread of its own, so that a terminal which takes nothing holds nobody: of more than
/// 1,024 texts that wait, the last are lost, and counted. Control characters are shown as escapes, and further lines of
/// what somebody else wrote start with `|`.
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
    /// Until it starts.
    terminal: Option<Terminal>,
    shown: Option<ShownRun>,
}

struct Terminal {
    input: Box<dyn BufRead + Send>,
    output: Box<dyn Write + Send>,
}

/// A run at the terminal.
struct ShownRun {
    screen: Arc<Screen>,
    /// What is read of the run. Only whoever types holds a hub: once nobody does, the run need not wait for them.
    inbox: Arc<Inbox>,
    /// Sends what is typed.
    typing: AbortHandle,
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
        let terminal = Terminal {
            input: Box::new(input),
            output: Box::new(output),
        };
        Self {
            terminal: Some(terminal),
            shown: None,
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
        if let Some(Terminal { input, output }) = self.terminal.take() {
            self.shown = Some(ShownRun::new(input, output, hub)?);
        }
        Ok(())
    }

    async fn on_event(&mut self, event: FlowEvent) -> Result<(), BoxError> {
        let Some(shown) = &self.shown else {
            return Ok(());
        };
        Ok(shown.show(&event)?)
    }

    async fn on_complete(&mut self) -> Result<(), BoxError> {
        if let Some(shown) = self.shown.take() {
            shown.screen.flush().await;
        }
        Ok(())
    }
}

impl ShownRun {
    fn new(
        input: Box<dyn BufRead + Send>,
        output: Box<dyn Write + Send>,
        hub: Hub,
    ) -> io::Result<Self> {
        let screen = Arc::new(Screen::new(output)?);
        screen.ask(hub.suspensions())?;
        let inbox = Arc::clone(&hub.0);
        let lines = read_lines(input)?;
        let typing = tokio::spawn(send_lines(lines, hub, Arc::clone(&screen)));
        Ok(Self {
            screen,
            inbox,
            typing: typing.abort_handle(),
        })
    }

    fn show(&self, event: &FlowEvent) -> io::Result<()> {
        if let Some(line) = line_of(event) {
            self.screen.show(&quoted(&line))?;
        }
        match &event.kind {
            // Where events are lost, these may be among them.
            EventKind::QuestionAsked { .. }
            | EventKind::QuestionAnswered { .. }
            | EventKind::Missed { .. } => self.screen.ask(self.inbox.suspensions()),
            EventKind::TurnEnded { id, .. } => self.show_turn(event, id),
            _ => Ok(()),
        }
    }

    /// Shows what an agent has answered that waits for a message.
    fn show_turn(&self, event: &FlowEvent, agent_run: &str) -> io::Result<()> {
        let node = event.node.as_deref().unwrap_or_default();
        let hint = "(type a message, or an empty line to accept)";
        for agent in self.inbox.listening_agents() {
            if agent.agent_run == agent_run {
                let answer = quoted(&agent.answer.to_string());
                self.screen.show(&format!("{node}: {answer}\n  {hint}"))?;
            }
        }
        self.screen.changed.notify_one();
        Ok(())
    }
}

impl Drop for ShownRun {
    fn drop(&mut self) {
        self.typing.abort();
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
    if let Some(question) = screen.first() {
        let answer = question::answer(line, &question.value);
        return Some((Some(question.number), hub.reply_to(&question, answer)));
    }
    let agent = hub.listening_agents().into_iter().next()?.agent_run;
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
        EventKind::NodeFailed {
            message, outcome, ..
        } => match outcome {
            FailureOutcome::Retried => format!("{message}; retrying"),
            FailureOutcome::Caught => format!("{message}; handled by a catch"),
            _ => message.clone(),
        },
        EventKind::AttemptFailed { message, .. } => format!("{message}; retrying"),
        EventKind::ModelWaits { model, why, .. } => {
            format!("{node}: {model} did not answer, retrying later: {why}")
        }
        EventKind::RunPaused => "paused".to_owned(),
        EventKind::RunUnpaused => "resumed".to_owned(),
        EventKind::RunCancelled { reason, .. } => format!("cancelled: {reason}"),
        EventKind::Missed { count } => format!("{count} events were not shown"),
        EventKind::RunEnded { success: true, .. } => "done".to_owned(),
        _ => return None,
    })
}
