//! A help desk: an agent with a tool reads each ticket, a person approves refunds, and the run is
//! on disk after every step, so that `--resume` goes on after a crash.
//!
//! The model is scripted (`data/script.json`) unless `--model` names a real one.

mod desk;
mod flow;
mod model;
mod person;
mod saved;
mod screen;
mod tickets;

use std::{error::Error, path::PathBuf, process::ExitCode};

use clap::Parser;
use pravah_runtime::{Context, FlowConf};

use desk::Desk;
use flow::Resolution;
use model::Models;
use person::Person;
use saved::Saved;

/// Handles support tickets, step by step.
#[derive(Parser)]
struct Args {
    /// Go on where the last run was stopped or killed.
    #[arg(long)]
    resume: bool,
    /// Approve every refund without asking. Without a terminal every refund is refused.
    #[arg(long)]
    yes: bool,
    /// Refuse every refund without asking.
    #[arg(long, conflicts_with = "yes")]
    no: bool,
    /// A real model, such as `openai://gpt-4o-mini`; reads OPENAI_API_KEY and OPENAI_BASE_URL.
    #[arg(long, value_name = "URL")]
    model: Option<String>,
    /// Stop after this many steps, as a crash would.
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
    /// The directory with `tickets.jsonl`, `articles/` and `script.json`.
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/support/data"))]
    data: PathBuf,
    /// Where the run is kept [default: `pravah-support.json` in the system's temporary directory].
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    match work(Args::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Handles all tickets, and says how they ended.
async fn work(args: Args) -> Result<(), Box<dyn Error>> {
    let tickets = tickets::read(&args.data.join("tickets.jsonl"))?;
    let models = match args.model {
        Some(url) => Models::Real(url),
        None => Models::scripted(&args.data.join("script.json"))?,
    };
    let person = match (args.yes, args.no) {
        (false, false) => Person::AtTheTerminal,
        (yes, _) => Person::Says(yes),
    };
    let state = args
        .state
        .unwrap_or_else(|| std::env::temp_dir().join("pravah-support.json"));
    let saved = if args.resume {
        Saved::read(&state)?
    } else {
        Saved::default()
    };
    // Before anything costs money: whether the file can be written at all.
    saved.write(&state)?;
    let ctx = Context::new(FlowConf {
        working_dir: args.data.join("articles"),
        ..FlowConf::default()
    });

    let mut desk = Desk {
        ctx,
        models,
        person,
        saved,
        state,
        steps_left: args.max_steps,
    };
    for ticket in tickets {
        desk.handle(ticket).await?;
    }
    println!("resolutions");
    for Resolution { ticket, outcome } in &desk.saved.done {
        println!("  {ticket} {outcome}");
    }
    Ok(())
}
