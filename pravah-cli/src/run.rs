//! `pravah run`.

use std::{
    fs,
    io::{self, IsTerminal as _},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use pravah_runtime::{
    Console, EventKind, FlowEvent, FlowRuntime, FlowSnapshot,
    document::{DocumentFlow, Session, SessionResult, SessionStatus},
};
use serde_json::Value;

use crate::{
    config::Config,
    failure::{Failure, print, with_causes},
    input,
};

/// What a suspended run ends the process with.
const SUSPENDED: u8 = 3;

/// What an interrupted run ends the process with, as shells do.
const INTERRUPTED: u8 = 130;

#[derive(Args)]
pub(crate) struct Options {
    /// The document.
    document: PathBuf,
    /// A value of the input, such as `services.auth.enabled=false`: JSON, or else a text.
    #[arg(long, value_name = "PATH=VALUE")]
    input: Vec<String>,
    /// A file with the input as JSON, into which the values are put.
    #[arg(long, value_name = "FILE")]
    input_file: Option<PathBuf>,
    /// Prints `{ outputs, status, durationMs }` as JSON, and asks nobody.
    #[arg(long)]
    json: bool,
    /// How many nodes may run at the same time.
    #[arg(long, default_value = "8", value_name = "N")]
    concurrency: NonZeroUsize,
    /// What the run is called.
    #[arg(long)]
    id: Option<String>,
    /// Answers a question of the run that is kept: `--answer review=yes`.
    #[arg(long, value_name = "ID=ANSWER", requires = "state")]
    answer: Vec<String>,
    /// Keeps the run in this file if it is suspended or has failed, and goes on with what is there.
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
}

pub(crate) fn run(config: &Config, options: Options) -> Result<ExitCode, Failure> {
    let flow = crate::load(&options.document, &config.registry()?)?;
    // Until the process ends.
    let _lock = options.state.as_deref().map(lock).transpose()?;
    let mut session = session(&flow, &options)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Message(format!("the async runtime cannot start: {error}")))?;
    let result = runtime.block_on(drive(&mut session, config, &options.answer))?;
    let status = result.as_ref().map(|it| it.status);
    let kept = options.state.as_deref();
    let kept = kept.map_or(Ok(()), |path| keep(path, status, &session));
    let code = match result {
        Some(result) => report(&options, &result)?,
        None => {
            eprintln!("interrupted");
            ExitCode::from(INTERRUPTED)
        }
    };
    kept.map(|()| code)
}

fn session(flow: &DocumentFlow, options: &Options) -> Result<Session, Failure> {
    let stored = options.state.as_deref().filter(|path| path.is_file());
    let mut session = match stored {
        Some(path) => {
            check_kept(path, options)?;
            flow.session_of(restore(flow, path)?)
        }
        None if !options.answer.is_empty() => {
            let path = options.state.as_deref().unwrap_or(Path::new(""));
            let message = format!("there is no run in `{}` to answer", path.display());
            return Err(Failure::Message(message));
        }
        // Nothing that is given overrides nothing.
        None if options.input.is_empty() && options.input_file.is_none() => {
            flow.session(flow.document().input.clone())?
        }
        None => {
            let (file, default) = (options.input_file.as_deref(), &flow.document().input);
            flow.session(input::read(file, &options.input, default)?)?
        }
    };
    if let Some(id) = &options.id {
        session = session.with_id(id);
    }
    let concurrency = options.concurrency.get();
    let is_shown = !options.json;
    session = session.with_run(|run| {
        let run = run.with_concurrency(concurrency);
        match is_shown {
            true => run.with_observer(show),
            false => run,
        }
    });
    let can_ask = is_shown && io::stdin().is_terminal();
    Ok(match can_ask {
        true => session.attach(Console::with_io(
            io::BufReader::new(io::stdin()),
            io::stderr(),
        )),
        // Another process can answer what is kept.
        false if options.state.is_some() => session.suspend_at_questions(),
        false => session,
    })
}

/// A run that was started already keeps its input and its id.
fn check_kept(path: &Path, options: &Options) -> Result<(), Failure> {
    let has_input = !options.input.is_empty() || options.input_file.is_some();
    if !has_input && options.id.is_none() {
        return Ok(());
    }
    Err(Failure::Message(format!(
        "`{}` has a run that was started already: leave out `--input`, `--input-file` and `--id`",
        path.display()
    )))
}

fn restore(flow: &DocumentFlow, path: &Path) -> Result<FlowRuntime<DocumentFlow>, Failure> {
    let shown = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::Message(format!("`{shown}` cannot be read: {error}")))?;
    let snapshot: FlowSnapshot = serde_json::from_str(&text)
        .map_err(|error| Failure::Message(format!("`{shown}` is not a stored run: {error}")))?;
    Ok(flow.restore(snapshot)?)
}

/// Runs to the end; nothing comes of a run that is interrupted.
async fn drive(
    session: &mut Session,
    config: &Config,
    answers: &[String],
) -> Result<Option<SessionResult>, Failure> {
    for answer in answers {
        let Some((id, answer)) = answer.split_once('=') else {
            let message = format!("`{answer}` is not an answer: write `id=answer`");
            return Err(Failure::Message(message));
        };
        let answer = input::as_value(answer);
        session.answer(config.context(), id, answer).await?;
    }
    tokio::select! {
        ran = session.drive(config.context()) => Ok(Some(ran?)),
        _ = tokio::signal::ctrl_c() => Ok(None),
    }
}

/// Keeps other processes from going on with the same run meanwhile, where the file system can.
fn lock(path: &Path) -> Result<fs::File, Failure> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let shown = path.display();
    let failed =
        |error: io::Error| Failure::Message(format!("`{shown}` cannot be locked: {error}"));
    let file = fs::File::create(&name).map_err(failed)?;
    match file.try_lock() {
        Err(fs::TryLockError::WouldBlock) => Err(Failure::Message(format!(
            "another process goes on with the run in `{shown}`"
        ))),
        Err(fs::TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
            Err(failed(error))
        }
        _ => Ok(file),
    }
}

/// Stores a run that can go on, and removes one that has ended.
fn keep(path: &Path, status: Option<SessionStatus>, session: &Session) -> Result<(), Failure> {
    let shown = path.display();
    let kept = match status {
        None | Some(SessionStatus::Suspended | SessionStatus::Failed) => {
            let json = serde_json::to_string(&session.snapshot());
            json.map_err(io::Error::from)
                .and_then(|json| replace(path, &json))
        }
        _ if path.is_file() => fs::remove_file(path),
        _ => Ok(()),
    };
    kept.map_err(|error| Failure::Message(format!("`{shown}` cannot be written: {error}")))
}

/// Writes a file in one go: whoever reads it sees the old one or the new one.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    fs::write(&new, text)?;
    fs::rename(&new, path)
}

/// A line for what happened, on the standard error.
fn show(event: FlowEvent) {
    let node = event.node.as_deref().unwrap_or_default();
    match &event.kind {
        EventKind::NodeStarted => eprintln!("  {node} …"),
        EventKind::NodeFailed { message, .. } => eprintln!("  {message}"),
        EventKind::AttemptFailed { message, .. } => {
            eprintln!("  {message}; another attempt follows")
        }
        EventKind::QuestionAsked { id, .. } => eprintln!("  {node} asks: `{id}`"),
        _ => {}
    }
}

fn report(options: &Options, result: &SessionResult) -> Result<ExitCode, Failure> {
    match options.json {
        true => print(&result.to_json().to_string())?,
        false => print(&lines(result))?,
    };
    if let Some(error) = &result.error {
        eprintln!("error: {}", with_causes(error));
    }
    for open in &result.suspensions {
        let text = |field| open.value.get(field).and_then(Value::as_str);
        match text("event") {
            Some(event) => eprintln!("`{}` waits for the event `{event}`", open.tool_id),
            None => eprintln!(
                "waits for an answer to `{}`: {}",
                open.tool_id,
                text("prompt").unwrap_or_default()
            ),
        }
    }
    if result.status == SessionStatus::Suspended && options.state.is_none() {
        eprintln!("the run is not kept: with `--state FILE` it can be answered later");
    }
    Ok(match result.status {
        SessionStatus::Complete => ExitCode::SUCCESS,
        SessionStatus::Suspended => ExitCode::from(SUSPENDED),
        _ => ExitCode::FAILURE,
    })
}

/// The outputs, a line each.
fn lines(result: &SessionResult) -> String {
    let outputs = result.outputs.iter();
    let lines: Vec<String> = outputs
        .map(|(id, output)| format!("{id}: {output}"))
        .collect();
    lines.join("\n")
}
