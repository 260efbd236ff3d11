//! Rows as what they mean.

use pravah_runtime::{Changes, Entries};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Serialize, de::DeserializeOwned};

use super::{failure::Failure, statements};
use crate::{HistoryRow, InboxRow, RunInfo, RunKey, Status, StoreError, error::with_sources, time};

/// A run whose row was found.
pub(super) struct Found {
    pub(super) seq: i64,
    pub(super) flow: String,
    pub(super) status: Status,
    pub(super) step: i64,
    pub(super) last_command: i64,
}

impl Found {
    pub(super) fn read(row: &Row<'_>) -> Result<Self, Failure> {
        Ok(Self {
            seq: row.get(0)?,
            flow: row.get(1)?,
            status: status(&row.get::<_, String>(2)?)?,
            step: row.get(3)?,
            last_command: row.get(4)?,
        })
    }

    pub(super) fn wrong_status(&self, key: &RunKey) -> Failure {
        StoreError::wrong_status(key.id(), self.status).into()
    }
}

pub(super) fn find(connection: &Connection, key: &RunKey) -> Result<Option<Found>, Failure> {
    let mut statement = connection.prepare_cached(statements::FIND)?;
    let row = statement.query_row(params![key.tenant_column(), key.id()], |row| {
        Ok(Found::read(row))
    });
    row.optional()?.transpose()
}

pub(super) fn get(connection: &Connection, key: &RunKey) -> Result<Found, Failure> {
    let found = find(connection, key)?;
    found.ok_or_else(|| StoreError::not_found(key.id()).into())
}

/// A run's row number, and what is known of it.
pub(super) fn get_info(connection: &Connection, key: &RunKey) -> Result<(i64, RunInfo), Failure> {
    let mut statement = connection.prepare_cached(statements::INFO)?;
    let row = statement.query_row(params![key.tenant_column(), key.id()], |row| {
        Ok(info_with_number(row))
    });
    let found = row.optional()?.transpose()?;
    found.ok_or_else(|| StoreError::not_found(key.id()).into())
}

/// A number, and behind it what is known of a run.
pub(super) fn info_with_number(row: &Row<'_>) -> Result<(i64, RunInfo), Failure> {
    let mut problem = None;
    let read = read_info(row, &mut problem)?;
    match problem {
        Some(problem) => Err(problem.into()),
        None => Ok(read),
    }
}

/// What can be read of a run, for lists: what cannot be read of one hides no other.
pub(super) fn listed_info(row: &Row<'_>) -> Result<RunInfo, Failure> {
    let mut problem = None;
    let (_, mut info) = read_info(row, &mut problem)?;
    if let Some(problem) = problem {
        info.error = Some(with_sources(&problem));
    }
    Ok(info)
}

/// Reads a run, and notes in `problem` what of it cannot be read.
fn read_info(row: &Row<'_>, problem: &mut Option<StoreError>) -> Result<(i64, RunInfo), Failure> {
    let (key, created_at) = (key(row)?, time::from_millis(row.get(5)?));
    let status = status(&row.get::<_, String>(4)?);
    let status = noted(status, problem).unwrap_or(Status::Failed);
    let mut info = RunInfo::new(key, row.get::<_, String>(3)?, status, created_at);
    info.updated_at = time::from_millis(row.get(6)?);
    info.wake_at = row.get::<_, Option<i64>>(7)?.map(time::from_millis);
    info.step = unsigned(row.get(8)?);
    let questions = from_json("the questions of a run", &row.get::<_, String>(9)?);
    info.questions = noted(questions, problem).unwrap_or_default();
    info.output = row.get(10)?;
    info.error = row.get(11)?;
    info.failed_claims = u32::try_from(row.get::<_, i64>(12)?).unwrap_or(u32::MAX);
    let forked_from: Option<String> = row.get(13)?;
    info.forked_from = forked_from.zip(row.get::<_, Option<i64>>(14)?.map(unsigned));
    let tags = from_json("the tags of a run", &row.get::<_, String>(15)?);
    info.tags = noted(tags, problem).unwrap_or_default();
    Ok((row.get(0)?, info))
}

/// What was read; otherwise the first problem is noted.
fn noted<T>(read: Result<T, StoreError>, problem: &mut Option<StoreError>) -> Option<T> {
    match read {
        Ok(read) => Some(read),
        Err(error) => {
            problem.get_or_insert(error);
            None
        }
    }
}

fn key(row: &Row<'_>) -> Result<RunKey, Failure> {
    let (tenant, id): (String, String) = (row.get(1)?, row.get(2)?);
    let key = RunKey::new(id).and_then(|key| match &*tenant {
        "" => Ok(key),
        _ => key.of_tenant(tenant),
    });
    key.map_err(|error| StoreError::corrupt("the id of a run", error).into())
}

pub(super) fn history_row(row: &Row<'_>) -> Result<HistoryRow, Failure> {
    const WHAT: &str = "a row of the history";
    let status = status(&row.get::<_, String>(2)?)?;
    let mut read = HistoryRow::new(
        unsigned(row.get(0)?),
        time::from_millis(row.get(1)?),
        status,
    );
    let node = row.get::<_, Option<String>>(3)?;
    read.node = node.map(|node| from_json(WHAT, &node)).transpose()?;
    read.taken = from_json(WHAT, &row.get::<_, String>(4)?)?;
    read.refused = from_json(WHAT, &row.get::<_, String>(5)?)?;
    Ok(read)
}

pub(super) fn inbox(
    connection: &Connection,
    seq: i64,
    after: u64,
) -> Result<Vec<InboxRow>, Failure> {
    let mut statement = connection.prepare_cached(statements::INBOX)?;
    let mut rows = statement.query(params![seq, signed(after)])?;
    let mut inbox = Vec::new();
    while let Some(row) = rows.next()? {
        let command = from_json("a command", &row.get::<_, String>(1)?)?;
        inbox.push(InboxRow::new(unsigned(row.get(0)?), command));
    }
    Ok(inbox)
}

pub(super) fn entries(connection: &Connection, seq: i64) -> Result<Entries, Failure> {
    let mut statement = connection.prepare_cached(statements::ENTRIES)?;
    let mut rows = statement.query([seq])?;
    let mut entries = Entries::default();
    while let Some(row) = rows.next()? {
        let inserted = entries.insert(row.get::<_, String>(0)?, row.get(1)?);
        inserted.map_err(|error| StoreError::corrupt("an entry", error))?;
    }
    Ok(entries)
}

/// The entries after a step, put together from all changes until then.
pub(super) fn entries_at(
    connection: &Connection,
    key: &RunKey,
    found: &Found,
    step: u64,
) -> Result<Entries, Failure> {
    if signed(step) > found.step {
        return Err(StoreError::no_such_step(key.id(), step).into());
    }
    let mut statement = connection.prepare_cached(statements::CHANGES_UNTIL)?;
    let mut rows = statement.query(params![found.seq, signed(step)])?;
    let mut entries = Entries::default();
    while let Some(row) = rows.next()? {
        let changes: Changes = from_json("the changes of a step", &row.get::<_, String>(0)?)?;
        entries.apply(changes);
    }
    Ok(entries)
}

fn status(name: &str) -> Result<Status, StoreError> {
    let unknown = || StoreError::corrupt("the status of a run", format!("no status is `{name}`"));
    Status::from_name(name).ok_or_else(unknown)
}

pub(super) fn to_json<T: Serialize + ?Sized>(
    what: &'static str,
    value: &T,
) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::corrupt(what, error))
}

fn from_json<T: DeserializeOwned>(what: &'static str, json: &str) -> Result<T, StoreError> {
    serde_json::from_str(json).map_err(|error| StoreError::corrupt(what, error))
}

/// SQLite has no unsigned numbers.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}
