//! What a console shows, and which questions it asks.

use std::{
    collections::VecDeque,
    io::{self, Write},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use tokio::sync::{
    Notify,
    mpsc::{self, error::TrySendError},
    oneshot,
};

use super::question;
use crate::{engine::Suspension, error::FlowError};

/// How many lines wait for a terminal that takes none, before further ones are lost.
const CAPACITY: usize = 1024;

/// What is shown, and who waits for what is typed.
pub(super) struct Screen {
    output: mpsc::Sender<Shown>,
    /// How many lines were lost, since somebody said so.
    lost: Arc<AtomicU64>,
    /// The questions that are open, the first one first.
    open: Mutex<VecDeque<Suspension>>,
    /// That somebody may wait for what is typed.
    pub(super) changed: Notify,
}

enum Shown {
    Text(String),
    /// Everything before this was shown.
    All(oneshot::Sender<()>),
}

impl Screen {
    /// What is shown is written by a thread of its own: a terminal that takes nothing holds nobody else.
    pub(super) fn new(output: Box<dyn Write + Send>) -> io::Result<Self> {
        let (sender, lines) = mpsc::channel(CAPACITY);
        let lost = Arc::new(AtomicU64::new(0));
        let write = {
            let lost = Arc::clone(&lost);
            move || write_lines(output, lines, &lost)
        };
        thread::Builder::new()
            .name("pravah-console-output".to_owned())
            .spawn(write)?;
        Ok(Self {
            output: sender,
            lost,
            open: Mutex::default(),
            changed: Notify::new(),
        })
    }

    fn open(&self) -> MutexGuard<'_, VecDeque<Suspension>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows a text as lines of its own.
    pub(super) fn show(&self, text: &str) -> io::Result<()> {
        match self.output.try_send(Shown::Text(harmless(text))) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => {
                self.lost.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Err(TrySendError::Closed(_)) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Waits until everything was shown, or nothing can be.
    pub(super) async fn flush(&self) {
        let (shown, all) = oneshot::channel();
        if self.output.send(Shown::All(shown)).await.is_ok() {
            let _ = all.await;
        }
    }

    /// The question that is to be answered next.
    pub(super) fn first(&self) -> Option<Suspension> {
        self.open().front().cloned()
    }

    /// Asks the questions that are open now, one after the other, and no others any more.
    pub(super) fn ask(&self, now: Vec<Suspension>) -> io::Result<()> {
        self.change(|open| {
            open.retain(|it| now.iter().any(|there| there.number == it.number));
            for question in now {
                if open.iter().all(|it| it.number != question.number) {
                    open.push_back(question);
                }
            }
        })
    }

    /// Changes which questions are open, and shows the first one unless it was before.
    fn change(&self, change: impl FnOnce(&mut VecDeque<Suspension>)) -> io::Result<()> {
        let mut open = self.open();
        let before = open.front().map(|it| it.number);
        change(&mut open);
        self.changed.notify_one();
        match open.front() {
            Some(first) if Some(first.number) != before => self.show(&question::text(first)),
            _ => Ok(()),
        }
    }

    /// Shows what became of a line that was typed, which may have been for a question.
    pub(super) fn settle(
        &self,
        question: Option<u64>,
        taken: Result<u64, FlowError>,
    ) -> io::Result<()> {
        match taken {
            Err(error) if can_try_again(&error) => {
                return self.show(&quoted(&format!("{error}; try again")));
            }
            Err(error) => self.show(&quoted(&error.to_string()))?,
            Ok(_) => {}
        }
        self.change(|open| open.retain(|it| Some(it.number) != question))
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

/// Writes what is shown, until that is over or the terminal is gone.
fn write_lines(mut output: impl Write, mut lines: mpsc::Receiver<Shown>, lost: &AtomicU64) {
    while let Some(shown) = lines.blocking_recv() {
        let written = match shown {
            Shown::Text(text) => writeln!(output, "{text}"),
            Shown::All(waiting) => {
                // Nobody may wait any more.
                let _ = waiting.send(());
                Ok(())
            }
        };
        // Those that were lost come after all that wait.
        let said = match lines.is_empty() {
            true => say_lost(&mut output, lost.swap(0, Ordering::Relaxed)),
            false => Ok(()),
        };
        if written.and(said).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

fn say_lost(output: &mut impl Write, lost: u64) -> io::Result<()> {
    match lost {
        0 => Ok(()),
        _ => writeln!(output, "({lost} texts were not shown)"),
    }
}

/// A text of somebody else's, whose further lines are marked: none looks like a line of the console's own.
pub(super) fn quoted(text: &str) -> String {
    text.trim_end().replace('\n', "\n  | ")
}

/// A text that cannot redraw the terminal: without control characters, and what else changes where text goes.
fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => shown.push(character),
            '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                shown.extend(character.escape_unicode());
            }
            _ if character.is_control() => shown.extend(character.escape_unicode()),
            _ => shown.push(character),
        }
    }
    shown
}
