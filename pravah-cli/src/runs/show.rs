//! `pravah runs show` and `pravah runs history`.

use std::process::ExitCode;

use pravah_runtime::{Entries, GateQuestion};
use pravah_store::{Command, HistoryRow, InboxRow, Question, RunInfo, Runs, StoreError};
use serde_json::{Map, Value, json};

use super::{asked::Asked, table::Table, values};
use crate::{failure::Failure, output::print};

/// How many steps are shown with a run.
const LAST: usize = 20;

pub(super) async fn show(
    runs: &Runs,
    asked: &Asked,
    id: &str,
    as_json: bool,
) -> Result<ExitCode, Failure> {
    let shown = Shown::read(runs, id).await;
    let shown = shown.map_err(|error| asked.failed(error))?;
    match as_json {
        true => print(&format!("{:#}", shown.to_json())),
        false => print(&shown.text(asked)),
    }
}

pub(super) async fn history(
    runs: &Runs,
    asked: &Asked,
    id: &str,
    as_json: bool,
) -> Result<ExitCode, Failure> {
    let rows = runs.history(id).await;
    let rows = rows.map_err(|error| asked.failed(error))?;
    match as_json {
        true => print(&format!("{:#}", json!(rows))),
        false => print(&steps(&rows)),
    }
}

/// All that is shown of a run.
struct Shown {
    info: RunInfo,
    entries: Entries,
    /// The commands that wait.
    commands: Vec<InboxRow>,
    history: Vec<HistoryRow>,
}

impl Shown {
    async fn read(runs: &Runs, id: &str) -> Result<Self, StoreError> {
        let info = runs.status(id).await?;
        let entries = runs.entries_at(id, info.step).await?;
        let commands = runs.commands(id).await?;
        let mut history = runs.history(id).await?;
        // A worker may have executed others meanwhile.
        history.retain(|row| row.step <= info.step);
        Ok(Self {
            info,
            entries,
            commands,
            history,
        })
    }

    /// The states that wait, by the paths of their places.
    fn states(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().filter_map(|(key, json)| {
            let (place, name) = key.rsplit_once('/')?;
            let list = place.strip_suffix("/states")?;
            let name = if list.is_empty() { name } else { key };
            Some((name.trim_start_matches('/'), json))
        })
    }

    fn to_json(&self) -> Value {
        let states = self.states().map(|(name, json)| {
            let state = serde_json::from_str(json).unwrap_or(Value::Null);
            (name.to_owned(), state)
        });
        json!({
            "run": self.info,
            "states": states.collect::<Map<_, _>>(),
            "commands": self.commands,
            "history": self.history,
        })
    }

    fn text(&self, asked: &Asked) -> String {
        let mut parts = vec![head(&self.info)];
        let states = self.states();
        let states = states.map(|(name, json)| format!("  {name}: {}", values::payload(json)));
        parts.extend(part("states that wait", states));
        let questions = self.info.questions.iter();
        let questions =
            questions.map(|open| format!("  {}", question(asked, self.info.key.id(), open)));
        parts.extend(part("open questions", questions));
        let commands = self.commands.iter();
        let commands = commands.map(|row| format!("  {}", command(row)));
        parts.extend(part("commands that wait", commands));
        let hidden = self.history.len().saturating_sub(LAST);
        let last = self.history.get(hidden..).unwrap_or_default();
        let mut last_steps = steps(last);
        if hidden > 0 {
            let history = asked.command_of_run("history", self.info.key.id(), &[]);
            last_steps.push_str(&format!("\n{hidden} earlier ones: {history}"));
        }
        parts.push(last_steps);
        parts.join("\n\n")
    }
}

/// What is known of a run, a line each.
fn head(info: &RunInfo) -> String {
    let tags = info.tags.iter();
    let tags: Vec<String> = tags
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let wait = info.wake_at.filter(|_| !info.status.has_ended());
    let forked = info.forked_from.as_ref();
    let lines = [
        ("run", Some(info.key.id().to_owned())),
        ("tenant", info.key.tenant().map(str::to_owned)),
        ("flow", Some(info.flow.clone())),
        ("status", Some(info.status.to_string())),
        ("error", info.error.as_deref().map(values::payload)),
        ("output", info.output.as_deref().map(values::payload)),
        (
            "tags",
            Some(tags.join(", ")).filter(|tags| !tags.is_empty()),
        ),
        (
            "forked",
            forked.map(|(run, step)| format!("from `{run}` after step {step}")),
        ),
        ("started", Some(values::time(info.created_at))),
        ("changed", Some(values::time(info.updated_at))),
        (
            "next",
            wait.map(|wake_at| format!("from {}", values::time(wake_at))),
        ),
    ];
    let lines = lines.into_iter().filter_map(|(name, value)| {
        let value = values::line(&value?);
        Some(format!("{:9}{value}", format!("{name}:")))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Lines with a heading; nothing where there are none.
fn part(heading: &str, lines: impl Iterator<Item = String>) -> Option<String> {
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| format!("{heading}:\n{}", lines.join("\n")))
}

/// What is asked, and how to answer it.
fn question(asked: &Asked, run: &str, open: &Question) -> String {
    let gate = serde_json::from_value::<GateQuestion>(open.value.clone());
    let text = match gate {
        Ok(gate) => match gate.event {
            Some(event) => format!("waits for the event `{event}`"),
            None => gate.prompt,
        },
        Err(_) => open.value.to_string(),
    };
    let until = open.until.map(values::time);
    let until = until.map_or(String::new(), |until| format!(" (until {until})"));
    let (id, text) = (&open.id, values::payload(&text));
    let answer = asked.command_of_run("answer", run, &[id, "JSON"]);
    format!("{id}: {text}{until}\n    {answer}")
}

/// A command that waits, and why no run can take it, if that is known.
fn command(row: &InboxRow) -> String {
    let (kind, payload) = match &row.command {
        Command::Answer { id, answer, .. } => (format!("answer to `{id}`"), answer.to_string()),
        // Also its name is encrypted.
        Command::Emit { name, value } if name.is_empty() => ("event".to_owned(), value.to_string()),
        Command::Emit { name, value } => (format!("event `{name}`"), value.to_string()),
        Command::Message { node, text } => (format!("message to `{node}`"), text.clone()),
        Command::Cancel { reason } => ("cancel".to_owned(), reason.clone()),
        other => {
            let kind = json!(other).get("type").map(word);
            (kind.unwrap_or_default(), String::new())
        }
    };
    let payload = match &*payload {
        "" => payload,
        payload => format!(": {}", values::payload(payload)),
    };
    let error = row.error.as_ref();
    let error = error.map_or(String::new(), |why| format!(" (no run can take it: {why})"));
    values::line(&format!("{}: {kind}{payload}{error}", row.number))
}

/// Steps as a table.
fn steps(rows: &[HistoryRow]) -> String {
    let mut table = Table::new(&["STEP", "COMMITTED", "NODE", "KIND", "STATUS", "COMMANDS"]);
    for row in rows {
        let (node, kind) = match &row.node {
            Some(node) => (with_items(&node.id, &node.items), word(&json!(node.kind))),
            None if row.step == 0 => ("-".to_owned(), "start".to_owned()),
            None if is_upgrade(row) => ("-".to_owned(), "upgrade".to_owned()),
            None => ("-".to_owned(), "-".to_owned()),
        };
        table.add([
            row.step.to_string(),
            values::time(row.at),
            node,
            kind,
            row.status.to_string(),
            commands(row),
        ]);
    }
    table.text()
}

/// Whether a run of an earlier version of its flow was stored as one of a later version: a step without a node that is
/// no upgrade took or refused commands.
fn is_upgrade(row: &HistoryRow) -> bool {
    row.node.is_none() && row.taken.is_empty() && row.refused.is_empty()
}

/// `read[3]`, for the fourth item of a list.
fn with_items(node: &str, items: &[usize]) -> String {
    let items = items.iter().map(|item| format!("[{item}]"));
    format!("{node}{}", items.collect::<String>())
}

/// A word that is an enum in JSON.
fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().replace('_', " ")
}

/// What a step took of the inbox, and what it refused.
fn commands(row: &HistoryRow) -> String {
    let taken = row.taken.iter().map(|number| format!("took {number}"));
    let refused = row.refused.iter();
    let refused = refused.map(|it| {
        let why = values::payload(&it.error);
        format!("refused {}: {why}", it.number)
    });
    taken.chain(refused).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use pravah_store::Status;

    use super::*;

    #[test]
    fn a_step_without_a_node_is_an_upgrade_unless_it_took_commands() {
        let at = std::time::UNIX_EPOCH;
        let [upgrade, mut commands] = [1, 2].map(|step| HistoryRow::new(step, at, Status::Ready));
        commands.taken = vec![7];
        let table = steps(&[HistoryRow::new(0, at, Status::Ready), upgrade, commands]);
        let kinds: Vec<_> = table
            .lines()
            .filter_map(|line| line.split_whitespace().nth(4))
            .collect();
        assert_eq!(kinds, ["STATUS", "start", "upgrade", "-"]);
    }

    #[test]
    fn a_command_that_waits_is_shown_with_what_it_is_for() {
        let shown = |command: Value| {
            let command = serde_json::from_value(command).unwrap();
            super::command(&InboxRow::new(7, command))
        };
        for (sent, expected) in [
            (
                json!({ "type": "emit", "name": "paid", "value": 250 }),
                "7: event `paid`: 250",
            ),
            (
                json!({ "type": "message", "node": "writer", "text": "Be\nbrief." }),
                "7: message to `writer`: Be brief.",
            ),
            (
                json!({ "type": "cancel", "reason": "sold out" }),
                "7: cancel: sold out",
            ),
            (json!({ "type": "unpause" }), "7: unpause"),
            (
                json!({ "type": "answer", "id": "send", "answer": "enc1:AAAA" }),
                "7: answer to `send`: (encrypted)",
            ),
            (
                json!({ "type": "emit", "name": "", "value": "enc1:AAAA" }),
                "7: event: (encrypted)",
            ),
        ] {
            assert_eq!(shown(sent), expected);
        }
        let refused = InboxRow::new(8, Command::Pause).with_error("it is damaged");
        let expected = "8: pause (no run can take it: it is damaged)";
        assert_eq!(super::command(&refused), expected);
    }
}
