//! The state of an object: the record of a run under `run`, each entry under `entry` and its key, each command that waits
//! under `inbox/` and its number, the output under `output`, and under `invocation` which invocation ran the last step.

use pravah_runtime::Entries;
use pravah_store::{Command, InboxRow, RunKey};
use restate_sdk::errors::TerminalError;
use serde_json::value::RawValue;

use crate::{
    invocation::{Invocation, unreadable},
    record::{FORMAT, Record},
};

pub(crate) const RECORD: &str = "run";
pub(crate) const OUTPUT: &str = "output";
pub(crate) const INVOCATION: &str = "invocation";
const ENTRY: &str = "entry";

/// The key of the state that has this entry.
pub(crate) fn of_entry(key: &str) -> String {
    format!("{ENTRY}{key}")
}

/// The key of the state that has the command of this number.
pub(crate) fn of_command(number: u64) -> String {
    format!("inbox/{number}")
}

/// The run that an object is, by the object's key: that of [`RunKey::run_id`].
pub(crate) fn run_key(object: &str) -> Result<RunKey, TerminalError> {
    let key = match object.strip_prefix('/').map(|rest| rest.split_once('/')) {
        None => RunKey::new(object),
        Some(Some((tenant, id))) => RunKey::new(id).and_then(|key| key.of_tenant(tenant)),
        Some(None) => return Err(bad_request("the key of a run is `ID` or `/TENANT/ID`")),
    };
    key.map_err(bad_request)
}

/// The record of the run.
pub(crate) async fn record(call: &Invocation<'_>) -> Result<Option<Record>, TerminalError> {
    let record: Option<Record> = call.get(RECORD).await?;
    match record {
        Some(record) if record.format > FORMAT => {
            let format = record.format;
            let why = format!("it has format {format}, and this program knows up to {FORMAT}");
            Err(unreadable(RECORD, why))
        }
        record => Ok(record),
    }
}

/// The record of the run, where there must be one.
pub(crate) async fn started(call: &Invocation<'_>) -> Result<Record, TerminalError> {
    let missing = || TerminalError::new_with_code(404, "there is no such run");
    record(call).await?.ok_or_else(missing)
}

/// The commands that wait.
pub(crate) async fn inbox(
    call: &Invocation<'_>,
    record: &Record,
) -> Result<Vec<InboxRow>, TerminalError> {
    let mut rows = Vec::new();
    for &number in &record.inbox {
        let key = of_command(number);
        let command: Option<Command> = call.get(&key).await?;
        let command = command.ok_or_else(|| unreadable(&key, "it is missing"))?;
        rows.push(InboxRow::new(number, command));
    }
    Ok(rows)
}

/// All entries of the run.
pub(crate) async fn entries(call: &Invocation<'_>) -> Result<Entries, TerminalError> {
    let mut entries = Vec::new();
    for key in call.state_keys().await? {
        let Some(entry) = key.strip_prefix(ENTRY) else {
            continue;
        };
        let json: Option<Box<RawValue>> = call.get(&key).await?;
        let json = json.ok_or_else(|| unreadable(&key, "it is missing"))?;
        entries.push((entry.to_owned(), json));
    }
    Ok(entries.into_iter().collect())
}

pub(crate) fn bad_request(why: impl std::fmt::Display) -> TerminalError {
    TerminalError::new_with_code(400, why.to_string())
}

pub(crate) fn conflict(why: impl Into<String>) -> TerminalError {
    TerminalError::new_with_code(409, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_the_run_that_its_key_names() {
        for key in ["7", "acme/7"] {
            assert_eq!(run_key(key).unwrap(), RunKey::new(key).unwrap());
        }
        let of_tenant = RunKey::new("7/b").and_then(|key| key.of_tenant("acme"));
        assert_eq!(run_key("/acme/7/b").unwrap(), of_tenant.unwrap());
        for key in ["", "/acme", "//7", "/acme/", "/acme//7"] {
            assert_eq!(run_key(key).unwrap_err().code(), 400, "{key:?}");
        }
    }
}
