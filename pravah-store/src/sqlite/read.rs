//! What looks at runs without changing them.

use rusqlite::{Connection, Row, Rows, ToSql};

use super::{rows, statements};
use crate::{
    Cursor, Filter, HistoryRow, LoadedRun, Page, RunKey, Status,
    columns::{self, signed, to_json},
    tx_error::TxError,
};

pub(super) fn load(connection: &Connection, key: &RunKey) -> Result<LoadedRun, TxError> {
    let (seq, info) = rows::get_info(connection, key)?;
    let entries = rows::entries(connection, seq)?;
    let inbox = rows::inbox(connection, seq, 0)?;
    Ok(LoadedRun::new(info, entries, inbox))
}

pub(super) fn history(
    connection: &Connection,
    key: &RunKey,
    (from, limit): (u64, usize),
) -> Result<Vec<HistoryRow>, TxError> {
    let found = rows::get(connection, key)?;
    let mut statement = connection.prepare_cached(statements::HISTORY)?;
    let rows = statement.query([found.seq, signed(from), columns::limit(limit)])?;
    all(rows, rows::history_row)
}

pub(super) fn list(connection: &Connection, filter: &Filter) -> Result<Page, TxError> {
    let limit = columns::limit(filter.limit.saturating_add(1));
    let (tenant, status) = (filter.tenant.column(), filter.status.map(Status::name));
    let after = filter.after.as_ref().map(Cursor::place);
    let tags = to_json("tags", &filter.tags)?;
    let mut params: Vec<(&str, &dyn ToSql)> = vec![(":limit", &limit)];
    if let Some((name, value)) = filter.tags.first_key_value() {
        params.extend([
            (":name", name as &dyn ToSql),
            (":value", value),
            (":tags", &tags),
        ]);
    }
    if let Some(tenant) = &tenant {
        params.push((":tenant", tenant));
    }
    if let Some(flow) = &filter.flow {
        params.push((":flow", flow));
    }
    if let Some(status) = &status {
        params.push((":status", status));
    }
    if let Some((created_at, tenant, id)) = &after {
        params.extend([
            (":created_at", created_at as &dyn ToSql),
            (":after_tenant", tenant),
            (":after_id", id),
        ]);
    }
    let mut statement = connection.prepare_cached(&statements::list(filter))?;
    let rows = statement.query(&*params)?;
    let runs = all(rows, rows::listed_info)?;
    Ok(Page::of(runs, filter.limit))
}

fn all<T>(
    mut rows: Rows<'_>,
    read: impl Fn(&Row<'_>) -> Result<T, TxError>,
) -> Result<Vec<T>, TxError> {
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push(read(row)?);
    }
    Ok(all)
}
