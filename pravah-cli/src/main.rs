//! `pravah`: checks, runs and draws flow documents, and looks after the runs of a store.

mod config;
mod failure;
mod input;
mod kept;
mod lock;
mod nodes;
mod output;
mod run;
mod runs;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Parser, Subcommand, ValueEnum};
use pravah_runtime::document::{DocumentFlow, NodeRegistry};

use crate::{config::Config, failure::Failure};

/// Checks, runs and draws flows that are written as YAML or JSON, and looks after stored runs of any flow.
#[derive(Parser)]
#[command(name = "pravah", version)]
struct Arguments {
    /// The configuration: `pravah.toml` in this folder or one above it, unless given.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Says everything that is wrong with documents.
    Check {
        /// The documents.
        #[arg(required = true, value_name = "DOCUMENT")]
        documents: Vec<PathBuf>,
    },
    /// Runs a document to its end.
    Run(run::Options),
    /// Draws a document.
    Graph {
        /// The document.
        document: PathBuf,
        /// In which language.
        #[arg(long, value_enum, default_value_t = Format::Mermaid)]
        format: Format,
    },
    /// Lists the node types, or shows one.
    Nodes {
        /// The type to show.
        #[arg(value_name = "TYPE")]
        node_type: Option<String>,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Prints the JSON Schema of documents, for editors.
    Schema,
    /// Looks at the runs that workers keep in a SQLite file, answers, cancels and retries them.
    Runs(runs::Options),
    /// Adds the current version of each flow to its lock file, if runs of the earlier versions can go on.
    Lock(lock::Options),
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Mermaid,
    Dot,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match execute(arguments) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

fn execute(arguments: Arguments) -> Result<ExitCode, Failure> {
    // Stored runs need none.
    let config = || Config::find(arguments.config.as_deref());
    match arguments.command {
        Command::Check { documents } => check(&config()?, &documents),
        Command::Run(options) => run::run(&config()?, options),
        Command::Graph { document, format } => {
            let flow = load(&document, &config()?.registry()?)?;
            let drawn = match format {
                Format::Mermaid => flow.document().to_mermaid(),
                Format::Dot => flow.document().to_dot(),
            };
            output::print(&drawn)
        }
        Command::Nodes { node_type, json } => nodes::show(&config()?, node_type.as_deref(), json),
        Command::Schema => {
            let registry = config()?.registry()?;
            let schema = pravah_document::document_schema(registry.catalogue());
            output::print(&format!("{schema:#}"))
        }
        Command::Runs(options) => runs::run(options),
        Command::Lock(options) => lock::run(options),
    }
}

/// What waits for runs on this thread.
fn async_runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Message(format!("the async runtime cannot start: {error}")))
}

/// Loads a document; what is probably a mistake in it goes to the standard error.
fn load(document: &Path, registry: &NodeRegistry) -> Result<DocumentFlow, Failure> {
    let flow = DocumentFlow::load(document, registry)?;
    if let Some(warnings) = &flow.document().warnings {
        failure::show(warnings);
    }
    Ok(flow)
}

/// Whether all documents are in order; what is wrong goes to the standard error.
fn check(config: &Config, documents: &[PathBuf]) -> Result<ExitCode, Failure> {
    let registry = config.registry()?;
    let mut code = ExitCode::SUCCESS;
    for document in documents {
        match load(document, &registry) {
            Ok(_) => output::say!("{}: ok", document.display()),
            Err(failure) => code = failure.report(),
        }
    }
    Ok(code)
}
