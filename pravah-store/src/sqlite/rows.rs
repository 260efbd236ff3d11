//! Rows as what they mean.

use pravah_runtime::Entries;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::statements;
use crate::{
    HistoryRow, InboxRow, RunInfo, RunKey, StoreError,
    columns::{self, HistoryColumns, InfoColumns, RunRow, signed},
    tx_error::TxError,
};

pub(super) fn read_run_row(row: &Row<'_>) -> Result<RunRow, TxError> {
    Ok(RunRow {
        seq: row.get(0)?,
        flow: row.get(1)?,
        status: columns::status(&row.get::<_, String>(2)?)?,
        step: row.get(3)?,
        last_command: row.get(4)?,
    })
}

pub(super) fn find(connection: &Connection, key: &RunKey) -> Result<Option<RunRow>, TxError> {
    let mut statement = connection.prepare_cached(statements::FIND)?;
    let row = statement.query_row(params![key.tenant_column(), key.id()], |row| {
        Ok(read_run_row(row))
    });
    row.optional()?.transpose()
}

pub(super) fn get(connection: &Connection, key: &RunKey) -> Result<RunRow, TxError> {
    let found = find(connection, key)?;
    found.ok_or_else(|| StoreError::not_found(key.id()).into())
}

/// A run's row number, and what is known of it.
pub(super) fn get_info(connection: &Connection, key: &RunKey) -> Result<(i64, RunInfo), TxError> {
    let mut statement = connection.prepare_cached(statements::INFO)?;
    let row = statement.query_row(params![key.tenant_column(), key.id()], |row| {
        Ok(info_with_number(row))
    });
    let found = row.optional()?.transpose()?;
    found.ok_or_else(|| StoreError::not_found(key.id()).into())
}

/// A number, and behind it what is known of a run.
pub(super) fn info_with_number(row: &Row<'_>) -> Result<(i64, RunInfo), TxError> {
    Ok((row.get(0)?, info_columns(row)?.read()?))
}

pub(super) fn listed_info(row: &Row<'_>) -> Result<RunInfo, TxError> {
    Ok(info_columns(row)?.read_for_list()?)
}

fn info_columns(row: &Row<'_>) -> Result<InfoColumns, TxError> {
    Ok(InfoColumns {
        tenant: row.get(1)?,
        id: row.get(2)?,
        flow: row.get(3)?,
        status: row.get(4)?,
        created_at: row.get(5)?,
        updated_at: row.get(6)?,
        wake_at: row.get(7)?,
        step: row.get(8)?,
        questions: row.get(9)?,
        output: row.get(10)?,
        error: row.get(11)?,
        failed_claims: row.get(12)?,
        forked_from: row.get(13)?,
        forked_step: row.get(14)?,
        tags: row.get(15)?,
    })
}

pub(super) fn history_row(row: &Row<'_>) -> Result<HistoryRow, TxError> {
    let columns = HistoryColumns {
        step: row.get(0)?,
        at: row.get(1)?,
        status: row.get(2)?,
        node: row.get(3)?,
        taken: row.get(4)?,
        refused: row.get(5)?,
    };
    Ok(columns.read()?)
}

pub(super) fn inbox(
    connection: &Connection,
    seq: i64,
    after: u64,
) -> Result<Vec<InboxRow>, TxError> {
    let mut statement = connection.prepare_cached(statements::INBOX)?;
    let mut rows = statement.query(params![seq, signed(after)])?;
    let mut inbox = Vec::new();
    while let Some(row) = rows.next()? {
        let command = row.get::<_, String>(1)?;
        inbox.push(columns::inbox_row(row.get(0)?, &command)?);
    }
    Ok(inbox)
}

pub(super) fn entries(connection: &Connection, seq: i64) -> Result<Entries, TxError> {
    let mut statement = connection.prepare_cached(statements::ENTRIES)?;
    let mut rows = statement.query([seq])?;
    let mut entries = Entries::default();
    while let Some(row) = rows.next()? {
        columns::insert_entry(&mut entries, row.get(0)?, row.get(1)?)?;
    }
    Ok(entries)
}

/// The entries after a step, put together from all changes until then.
pub(super) fn entries_at(
    connection: &Connection,
    key: &RunKey,
    found: &RunRow,
    step: u64,
) -> Result<Entries, TxError> {
    found.check_step(key, step)?;
    let mut statement = connection.prepare_cached(statements::CHANGES_UNTIL)?;
    let mut rows = statement.query(params![found.seq, signed(step)])?;
    let mut entries = Entries::default();
    while let Some(row) = rows.next()? {
        columns::apply_changes(&mut entries, &row.get::<_, String>(0)?)?;
    }
    Ok(entries)
}
