//! Rows as what they mean, and texts as the database takes them.

use std::borrow::Cow;

use pravah_runtime::Entries;
use tokio_postgres::Row;

use crate::{
    HistoryRow, InboxRow, RunInfo, RunKey, StoreError,
    columns::{self, HistoryColumns, InfoColumns, RunRow},
    tx_error::TxError,
};

/// A text for people, without the character that no text in PostgreSQL can have.
pub(super) fn without_nul(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        Cow::Owned(text.replace('\0', "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The run that was found, if one was.
pub(super) fn run_row(rows: &[Row], key: &RunKey) -> Result<RunRow, TxError> {
    let row = first(rows, key)?;
    Ok(RunRow {
        seq: row.try_get(0)?,
        flow: row.try_get(1)?,
        status: columns::status(row.try_get(2)?)?,
        step: row.try_get(3)?,
        last_command: row.try_get(4)?,
    })
}

pub(super) fn info(rows: &[Row], key: &RunKey) -> Result<RunInfo, TxError> {
    Ok(info_columns(first(rows, key)?)?.read()?)
}

fn first<'a>(rows: &'a [Row], key: &RunKey) -> Result<&'a Row, StoreError> {
    rows.first().ok_or_else(|| StoreError::not_found(key.id()))
}

pub(super) fn info_columns(row: &Row) -> Result<InfoColumns, TxError> {
    Ok(InfoColumns {
        tenant: row.try_get(0)?,
        id: row.try_get(1)?,
        flow: row.try_get(2)?,
        status: row.try_get(3)?,
        created_at: row.try_get(4)?,
        updated_at: row.try_get(5)?,
        wake_at: row.try_get(6)?,
        step: row.try_get(7)?,
        questions: row.try_get(8)?,
        output: row.try_get(9)?,
        error: row.try_get(10)?,
        failed_claims: row.try_get(11)?,
        forked_from: row.try_get(12)?,
        forked_step: row.try_get(13)?,
        tags: row.try_get(14)?,
    })
}

pub(super) fn history(rows: &[Row]) -> Result<Vec<HistoryRow>, TxError> {
    let read = |row: &Row| -> Result<HistoryRow, TxError> {
        let columns = HistoryColumns {
            step: row.try_get(0)?,
            at: row.try_get(1)?,
            status: row.try_get(2)?,
            node: row.try_get(3)?,
            taken: row.try_get(4)?,
            refused: row.try_get(5)?,
        };
        Ok(columns.read()?)
    };
    rows.iter().map(read).collect()
}

pub(super) fn inbox(rows: &[Row]) -> Result<Vec<InboxRow>, TxError> {
    let read = |row: &Row| -> Result<InboxRow, TxError> {
        Ok(columns::inbox_row(row.try_get(0)?, row.try_get(1)?)?)
    };
    rows.iter().map(read).collect()
}

pub(super) fn entries(rows: &[Row]) -> Result<Entries, TxError> {
    let mut entries = Entries::default();
    for row in rows {
        let key = String::from_utf8(row.try_get(0)?);
        let key = key.map_err(|error| StoreError::corrupt("an entry", error))?;
        columns::insert_entry(&mut entries, key, row.try_get(1)?)?;
    }
    Ok(entries)
}

/// The entries that a history of changes leads to.
pub(super) fn entries_after(changes: &[Row]) -> Result<Entries, TxError> {
    let mut entries = Entries::default();
    for row in changes {
        columns::apply_changes(&mut entries, row.try_get(0)?)?;
    }
    Ok(entries)
}
