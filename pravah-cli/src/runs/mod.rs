//! `pravah runs`.

mod answer;
mod asked;
mod list;
mod show;
mod table;
mod values;

use std::{path::PathBuf, process::ExitCode, time::Duration};

use clap::{Args, Subcommand};
use pravah_store::Retention;

use self::asked::Asked;
use crate::{
    failure::Failure,
    output::{print, say},
};

#[derive(Args)]
pub(crate) struct Options {
    /// The file that workers keep the runs in, or the URL of a PostgreSQL database: `postgres://…`.
    #[arg(long, global = true, value_name = "FILE", default_value = asked::DEFAULT_FILE)]
    store: PathBuf,
    /// The schema in which a PostgreSQL database has them.
    #[arg(long, global = true, value_name = "NAME", default_value = asked::DEFAULT_SCHEMA)]
    schema: String,
    /// The tenant whose runs are meant: those that belong to none, unless given.
    #[arg(long, global = true)]
    tenant: Option<String>,
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Lists runs, the newest first.
    List(list::Options),
    /// Shows where a run is: what waits in it, what it asks, the commands that wait, why it has failed, and its last steps.
    Show {
        /// The run.
        id: String,
        /// As JSON, with all of its steps.
        #[arg(long)]
        json: bool,
    },
    /// Lists all steps of a run, with the commands that each took or refused.
    History {
        /// The run.
        id: String,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Answers a question of a run.
    Answer(answer::Options),
    /// Ends a run.
    Cancel {
        /// The run.
        id: String,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Lets a run that has failed try again.
    Retry {
        /// The run.
        id: String,
    },
    /// Starts a run from where another was after a step, and prints its id.
    Fork {
        /// The other run.
        id: String,
        /// The step, as in its history.
        step: u64,
    },
    /// Deletes runs that have ended, with their histories.
    Prune {
        /// How long ago they have ended at least: `30d`, `12h`, `5m` or `10s`.
        #[arg(long, value_name = "AGE", value_parser = values::duration)]
        max_age: Duration,
        /// How many of the others are kept at most, the last to have ended first.
        #[arg(long, value_name = "N")]
        max_runs: Option<u64>,
    },
}

pub(crate) fn run(options: Options) -> Result<ExitCode, Failure> {
    crate::async_runtime()?.block_on(act(options))
}

async fn act(options: Options) -> Result<ExitCode, Failure> {
    let asked = Asked::of((options.store, options.schema), options.tenant);
    let runs = asked.open().await?;
    let failed = |error| asked.failed(error);
    match options.action {
        Action::List(list) => return list::list(&runs, &asked, list).await,
        Action::Show { id, json } => return show::show(&runs, &asked, &id, json).await,
        Action::History { id, json } => return show::history(&runs, &asked, &id, json).await,
        Action::Answer(options) => return answer::answer(&runs, &asked, options).await,
        Action::Cancel { id, reason } => {
            asked.check_not_encrypted(&runs, &id).await?;
            runs.cancel(&id, reason).await.map_err(failed)?;
            say!("stored: a worker ends the run");
        }
        Action::Retry { id } => {
            let retried = runs.retry(&id).await;
            retried.map_err(|error| asked.not_retried(error))?;
            say!("stored: a worker tries the run again");
        }
        Action::Fork { id, step } => {
            return print(&runs.fork(&id, step).await.map_err(failed)?);
        }
        Action::Prune { max_age, max_runs } => {
            let mut retention = Retention::max_age(max_age);
            retention.max_runs = max_runs;
            let pruned = runs.prune(retention).await.map_err(failed)?;
            return print(&format!("deleted: {pruned}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}
