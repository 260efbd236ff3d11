//! A help desk: an agent with a tool reads each ticket, a person approves refunds, and the run is
//! on disk after every step, so that `--resume` goes on after a crash.
//!
//! The model is scripted (`data/script.json`) unless `--model` names a real one.

mod flow;
mod person;
mod saved;
mod tickets;

use std::{
    collections::BTreeMap,
    error::Error,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Parser;
use pravah_runtime::prelude::*;

use flow::{Resolution, Ticket};
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
    match desk(Args::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Handles all tickets, and says how they ended.
async fn desk(args: Args) -> Result<(), Box<dyn Error>> {
    let tickets = tickets::read(&args.data.join("tickets.jsonl"))?;
    let models = Models::new(&args)?;
    let state = args.state.unwrap_or_else(|| std::env::temp_dir().join("pravah-support.json"));
    let mut desk = Desk {
        ctx: Context::new(FlowConf { working_dir: args.data.join("articles"), ..FlowConf::default() }),
        person: match (args.yes, args.no) {
            (false, false) => Person::AtTheTerminal,
            (yes, _) => Person::Says(yes),
        },
        saved: if args.resume { Saved::read(&state)? } else { Saved::default() },
        state,
        steps_left: args.max_steps,
    };
    for ticket in tickets {
        if !desk.saved.done.iter().any(|done| done.ticket == ticket.id) {
            desk.handle(ticket, &models).await?;
        }
    }
    println!("resolutions");
    for Resolution { ticket, outcome } in &desk.saved.done {
        println!("  {ticket} {outcome}");
    }
    Ok(())
}

/// Which model answers.
enum Models {
    /// For each ticket what the model says.
    Scripted(BTreeMap<String, ScriptedModel>),
    Real(String),
}

impl Models {
    fn new(args: &Args) -> Result<Self, Box<dyn Error>> {
        match &args.model {
            Some(url) => Ok(Self::Real(url.clone())),
            None => read_scripts(&args.data.join("script.json")).map(Self::Scripted),
        }
    }

    /// Lets the run ask the model for `ticket`.
    fn give(&self, run: FlowRuntime<Ticket>, ticket: &str) -> Result<FlowRuntime<Ticket>, FlowError> {
        match self {
            Self::Scripted(scripts) => {
                let script = scripts.get(ticket).cloned().unwrap_or_default();
                Ok(run.with_factory(ClientFactory::new().with_scripted(script)))
            }
            Self::Real(url) => run.with_model("triage", url),
        }
    }
}

fn read_scripts(path: &Path) -> Result<BTreeMap<String, ScriptedModel>, Box<dyn Error>> {
    let named = |error: &dyn Error| format!("`{}`: {error}", path.display());
    let json = std::fs::read(path).map_err(|e| named(&e))?;
    serde_json::from_slice(&json).map_err(|e| named(&e).into())
}

/// What it takes to handle tickets.
struct Desk {
    ctx: Context,
    person: Person,
    saved: Saved,
    /// The file of `saved`.
    state: PathBuf,
    steps_left: Option<u64>,
}

impl Desk {
    /// Takes one ticket from where it is to its resolution.
    async fn handle(&mut self, ticket: Ticket, models: &Models) -> Result<(), Box<dyn Error>> {
        let id = ticket.id.clone();
        println!("{id} {} ({})", ticket.subject, ticket.from);
        let run = match self.saved.open.take() {
            Some((open, snapshot)) if open == id => FlowRuntime::from_snapshot(snapshot)?,
            _ => FlowRuntime::new(ticket)?,
        };
        let mut run = models.give(run, &id)?;
        loop {
            if self.steps_left == Some(0) {
                return Err("stopped; `--resume` goes on".into());
            }
            let out = self.step(&mut run).await?;
            if let Some(step) = run.last_step() {
                println!("  {step}");
            }
            self.steps_left = self.steps_left.map(|steps| steps - 1);
            match out {
                RunOut::Done(resolution) => {
                    self.saved.done.push(resolution);
                    self.saved.open = None;
                    println!();
                    return self.saved.write(&self.state);
                }
                _ => {
                    self.saved.open = Some((id.clone(), run.snapshot()));
                    self.saved.write(&self.state)?;
                }
            }
        }
    }

    /// Makes the run's next step: with a person's answer if it waits for one.
    async fn step(&self, run: &mut FlowRuntime<Ticket>) -> Result<RunOut<Resolution>, Box<dyn Error>> {
        let ctx = self.ctx.clone();
        match run.suspensions().first() {
            Some(question) => {
                let decision = self.person.decide(question)?;
                Ok(run.resume(ctx, (&question.tool_id, decision)).await?)
            }
            None => Ok(run.next(ctx).await?),
        }
    }
}
