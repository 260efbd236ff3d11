//! What looks at runs without changing them.

use rusqlite::{Connection, Row, Rows, named_params};

use super::{
    failure::Failure,
    rows::{self, to_json},
    statements,
};
use crate::{Filter, HistoryRow, LoadedRun, Page, RunInfo, RunKey, Status};

pub(super) fn load(connection: &Connection, key: &RunKey) -> Result<LoadedRun, Failure> {
    let (seq, info) = rows::get_info(connection, key)?;
    let entries = rows::entries(connection, seq)?;
    let inbox = rows::inbox(connection, seq, 0)?;
    Ok(LoadedRun::new(info, entries, inbox))
}

pub(super) fn history(connection: &Connection, key: &RunKey) -> Result<Vec<HistoryRow>, Failure> {
    let found = rows::get(connection, key)?;
    let mut statement = connection.prepare_cached(statements::HISTORY)?;
    let rows = statement.query([found.seq])?;
    all(rows, rows::history_row)
}

pub(super) fn list(connection: &Connection, filter: &Filter) -> Result<Page, Failure> {
    let limit = i64::try_from(filter.limit.saturating_add(1)).unwrap_or(i64::MAX);
    let tenant = filter.tenant.column();
    let status = filter.status.map(Status::name);
    let after = filter.after.as_ref();
    let (created_at, after_tenant, after_id) = (
        after.map(|it| it.created_at),
        after.map(|it| &*it.tenant),
        after.map(|it| &*it.id),
    );
    let read = |row: &Row<'_>| rows::info_with_number(row).map(|(_, info)| info);
    let runs: Vec<RunInfo> = match filter.tags.first_key_value() {
        None => {
            let mut statement = connection.prepare_cached(statements::LIST)?;
            let rows = statement.query(named_params! {
                ":tenant": tenant, ":flow": filter.flow, ":status": status,
                ":created_at": created_at, ":after_tenant": after_tenant, ":after_id": after_id,
                ":limit": limit,
            })?;
            all(rows, read)?
        }
        Some((name, value)) => {
            let mut statement = connection.prepare_cached(statements::LIST_BY_TAGS)?;
            let rows = statement.query(named_params! {
                ":tenant": tenant, ":flow": filter.flow, ":status": status,
                ":created_at": created_at, ":after_tenant": after_tenant, ":after_id": after_id,
                ":limit": limit,
                ":name": name, ":value": value, ":tags": to_json("tags", &filter.tags)?,
            })?;
            all(rows, read)?
        }
    };
    Ok(Page::of(runs, filter.limit))
}

fn all<T>(
    mut rows: Rows<'_>,
    read: impl Fn(&Row<'_>) -> Result<T, Failure>,
) -> Result<Vec<T>, Failure> {
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push(read(row)?);
    }
    Ok(all)
}
