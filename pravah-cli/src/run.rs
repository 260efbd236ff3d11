//! `pravah run`.

use std::{
    io::{self, IsTerminal as _},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use pravah_runtime::{
    Console, EventKind, FlowEvent,
    document::{DocumentFlow, Session, SessionResult, SessionStatus},
};
use serde_json::Value;

use crate::{
    config::Config,
    failure::{Failure, with_causes},
    input,
    kept::KeptRun,
    output::{print, print_whole, say},
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
    /// Keeps the run in this file if it is suspended, interrupted or stopped by a failure, and continues the one that is
    /// there.
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
}

pub(crate) fn run(config: &Config, options: Options) -> Result<ExitCode, Failure> {
    let flow = crate::load(&options.document, &config.registry()?)?;
    let kept = options.state.as_deref().map(KeptRun::open).transpose()?;
    let mut session = session(&flow, &options, kept.as_ref())?;
    let result = crate::async_runtime()?.block_on(drive(&mut session, config, &options.answer))?;
    let Some(result) = result else {
        say!("interrupted");
        if let Some(kept) = kept {
            kept.store(&session)?;
        }
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let is_over = match result.status {
        SessionStatus::Suspended => false,
        // With an error a failure has stopped the run, which may be tried again.
        SessionStatus::Failed => result.error.is_none(),
        _ => true,
    };
    // Also a run that is over: if its output cannot be written, the next process writes it, and runs nothing again.
    let stored = kept.as_ref().map_or(Ok(()), |kept| kept.store(&session));
    let code = report(&options, &result, is_over)?;
    match kept.filter(|_| is_over) {
        Some(kept) => kept.remove()?,
        None => stored?,
    }
    Ok(code)
}

fn session(
    flow: &DocumentFlow,
    options: &Options,
    kept: Option<&KeptRun>,
) -> Result<Session, Failure> {
    let mut session = match kept.filter(|kept| kept.has_run()) {
        Some(kept) => {
            check_kept(kept, options)?;
            flow.session_of(kept.load(flow)?)
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
fn check_kept(kept: &KeptRun, options: &Options) -> Result<(), Failure> {
    let has_input = !options.input.is_empty() || options.input_file.is_some();
    if !has_input && options.id.is_none() {
        return Ok(());
    }
    Err(Failure::Message(format!(
        "`{kept}` has a run that was started already: leave out `--input`, `--input-file` and `--id`"
    )))
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

/// A line for what happened, on the standard error.
fn show(event: FlowEvent) {
    let node = event.node.as_deref().unwrap_or_default();
    match &event.kind {
        EventKind::NodeStarted => say!("  {node} …"),
        EventKind::NodeFailed { message, .. } => say!("  {message}"),
        EventKind::AttemptFailed { message, .. } => {
            say!("  {message}; another attempt follows")
        }
        EventKind::QuestionAsked { id, .. } => say!("  {node} asks: `{id}`"),
        _ => {}
    }
}

/// Prints the result of a run. All of it has to be read where the run is about to be removed.
fn report(options: &Options, result: &SessionResult, is_over: bool) -> Result<ExitCode, Failure> {
    let text = match options.json {
        true => result.to_json().to_string(),
        false => lines(result),
    };
    if options.state.is_some() && is_over {
        print_whole(&text)?;
    } else {
        print(&text)?;
    }
    if let Some(error) = &result.error {
        say!("error: {}", with_causes(error));
    }
    for open in &result.suspensions {
        let text = |field| open.value.get(field).and_then(Value::as_str);
        match text("event") {
            Some(event) => say!("`{}` waits for the event `{event}`", open.tool_id),
            None => say!(
                "waits for an answer to `{}`: {}",
                open.tool_id,
                text("prompt").unwrap_or_default()
            ),
        }
    }
    if result.status == SessionStatus::Suspended && options.state.is_none() {
        say!("the run is not kept: with `--state FILE` it can be answered later");
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
