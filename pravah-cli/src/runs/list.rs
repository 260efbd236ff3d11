//! `pravah runs list`.

use std::process::ExitCode;

use clap::Args;
use pravah_store::{Cursor, Filter, Page, RunInfo, Runs, Status};
use serde_json::json;

use super::{asked::Asked, table::Table, values};
use crate::{
    failure::Failure,
    output::{print, say},
};

#[derive(Args)]
pub(super) struct Options {
    /// Only runs of this flow: of its id, which is the name of its input, or with `#[flow(named)]` its own.
    #[arg(long)]
    flow: Option<String>,
    /// Only those in this status.
    #[arg(long, value_parser = values::status)]
    status: Option<Status>,
    /// Only those with this tag. Of several tags all are needed.
    #[arg(long, value_name = "NAME=VALUE", value_parser = values::tag)]
    tag: Vec<(String, String)>,
    /// Those of every tenant, and of none.
    #[arg(long, conflicts_with = "tenant")]
    every_tenant: bool,
    /// How many at most: from 1 to 1,000.
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_000))]
    limit: u16,
    /// Those after a page, as that has said.
    #[arg(long, value_name = "CURSOR", value_parser = values::cursor)]
    after: Option<Cursor>,
    /// As JSON: `{ "runs": […], "next": … }`.
    #[arg(long)]
    json: bool,
}

pub(super) async fn list(
    runs: &Runs,
    asked: &Asked,
    options: Options,
) -> Result<ExitCode, Failure> {
    let (as_json, is_of_all) = (options.json, options.every_tenant);
    let mut again = words(&options);
    let page = runs.list(filter(options)).await;
    let page = page.map_err(|error| asked.failed(error))?;
    if as_json {
        let next = page.next.as_ref().map(Cursor::to_string);
        return print(&format!("{:#}", json!({ "runs": page.runs, "next": next })));
    }
    let printed = print(&table(&page, is_of_all));
    if let Some(next) = page.next {
        again.push(format!("--after={next}"));
        let again: Vec<&str> = again.iter().map(String::as_str).collect();
        say!("there are more: `{}` lists them", asked.command(&again));
    }
    printed
}

/// The same list as a command, from its start on.
fn words(options: &Options) -> Vec<String> {
    let mut words = vec!["list".to_owned()];
    let flow = options.flow.as_ref();
    words.extend(flow.map(|flow| format!("--flow={flow}")));
    words.extend(options.status.map(|status| format!("--status={status}")));
    let tags = options.tag.iter();
    words.extend(tags.map(|(name, value)| format!("--tag={name}={value}")));
    if options.every_tenant {
        words.push("--every-tenant".to_owned());
    }
    words.push(format!("--limit={}", options.limit));
    words
}

fn filter(options: Options) -> Filter {
    let mut filter = Filter::new().with_limit(options.limit.into());
    filter.flow = options.flow;
    filter.status = options.status;
    filter.tags = options.tag.into_iter().collect();
    filter.after = options.after;
    match options.every_tenant {
        true => filter.every_tenant(),
        false => filter,
    }
}

fn table(page: &Page, has_tenants: bool) -> String {
    match has_tenants {
        false => {
            let mut table = Table::new(&["ID", "FLOW", "STATUS", "STEPS", "STARTED", ""]);
            page.runs.iter().for_each(|run| table.add(row(run)));
            table.text()
        }
        true => {
            let headings = ["TENANT", "ID", "FLOW", "STATUS", "STEPS", "STARTED", ""];
            let mut table = Table::new(&headings);
            for run in &page.runs {
                let [id, flow, status, steps, started, waits] = row(run);
                let tenant = run.key.tenant().unwrap_or("-").to_owned();
                table.add([tenant, id, flow, status, steps, started, waits]);
            }
            table.text()
        }
    }
}

fn row(run: &RunInfo) -> [String; 6] {
    [
        run.key.id().to_owned(),
        run.flow.clone(),
        run.status.to_string(),
        run.step.to_string(),
        values::time(run.created_at),
        reason(run),
    ]
}

/// What the run waits for, or why it has ended early.
fn reason(run: &RunInfo) -> String {
    let questions = run.questions.iter().map(|question| &*question.id);
    let questions = questions.collect::<Vec<_>>().join(", ");
    match (&run.error, run.status, run.wake_at) {
        (Some(error), ..) => values::payload(error),
        (None, Status::Waiting, Some(until)) => format!("until {}", values::time(until)),
        (None, Status::Suspended, _) => format!("asks {questions}"),
        _ => String::new(),
    }
}
