//! What looks at runs without changing them.

use deadpool_postgres::ClientWrapper;
use pravah_runtime::Entries;

use super::{
    rows, statements,
    transaction::{Param, Query, query, read, read_planned},
};
use crate::{
    Cursor, Filter, HistoryRow, InboxRow, LoadedRun, Page, RunInfo, RunKey, Status,
    columns::{self, signed},
    tx_error::TxError,
};

pub(super) async fn load(client: &ClientWrapper, key: &RunKey) -> Result<LoadedRun, TxError> {
    let (tenant, id) = (key.tenant_column(), key.id());
    let of: [Param<'_>; 2] = [&tenant, &id];
    let queries = [
        Query(statements::INFO, &of),
        Query(statements::ENTRIES, &of),
        Query(statements::INBOX, &[&tenant, &id, &0_i64]),
    ];
    let [info, entries, inbox] = read(client, queries).await?;
    let info = rows::info(&info, key)?;
    Ok(LoadedRun::new(
        info,
        rows::entries(&entries)?,
        rows::inbox(&inbox)?,
    ))
}

pub(super) async fn get(client: &ClientWrapper, key: &RunKey) -> Result<RunInfo, TxError> {
    let of: [Param<'_>; 2] = [&key.tenant_column(), &key.id()];
    rows::info(&query(client, Query(statements::INFO, &of)).await?, key)
}

pub(super) async fn inbox(
    client: &ClientWrapper,
    key: &RunKey,
    after: u64,
) -> Result<Vec<InboxRow>, TxError> {
    let (tenant, id, after) = (key.tenant_column(), key.id(), signed(after));
    let queries = [
        Query(statements::FIND, &[&tenant, &id]),
        Query(statements::INBOX, &[&tenant, &id, &after]),
    ];
    let [found, inbox] = read(client, queries).await?;
    rows::run_row(&found, key)?;
    rows::inbox(&inbox)
}

pub(super) async fn history(
    client: &ClientWrapper,
    key: &RunKey,
    (from, limit): (u64, usize),
) -> Result<Vec<HistoryRow>, TxError> {
    let (tenant, id) = (key.tenant_column(), key.id());
    let (from, limit) = (signed(from), columns::limit(limit));
    let queries = [
        Query(statements::FIND, &[&tenant, &id]),
        Query(statements::HISTORY, &[&tenant, &id, &from, &limit]),
    ];
    let [found, history] = read(client, queries).await?;
    rows::run_row(&found, key)?;
    rows::history(&history)
}

pub(super) async fn entries_at(
    client: &ClientWrapper,
    key: &RunKey,
    step: u64,
) -> Result<Entries, TxError> {
    let (tenant, id, until) = (key.tenant_column(), key.id(), signed(step));
    let queries = [
        Query(statements::FIND, &[&tenant, &id]),
        Query(statements::CHANGES_UNTIL, &[&tenant, &id, &until]),
    ];
    let [found, changes] = read(client, queries).await?;
    rows::run_row(&found, key)?.check_step(key, step)?;
    rows::entries_after(&changes)
}

pub(super) async fn list(client: &ClientWrapper, filter: &Filter) -> Result<Page, TxError> {
    // No run has one, and no parameter either.
    if filter.flow.as_ref().is_some_and(|flow| flow.contains('\0')) {
        return Ok(Page::of(Vec::new(), filter.limit));
    }
    let limit = columns::limit(filter.limit.saturating_add(1));
    let (tenant, status) = (filter.tenant.column(), filter.status.map(Status::name));
    let after = filter.after.as_ref().map(Cursor::place);
    let (names, values): (Vec<_>, Vec<_>) = filter.tags.iter().unzip();
    let mut params: Vec<Param<'_>> = vec![&limit];
    if let Some((name, value)) = filter.tags.first_key_value() {
        params.extend([&names as Param<'_>, &values, name, value]);
    }
    if let Some(tenant) = &tenant {
        params.push(tenant);
    }
    if let Some(flow) = &filter.flow {
        params.push(flow);
    }
    if let Some(status) = &status {
        params.push(status);
    }
    if let Some((created_at, tenant, id)) = &after {
        params.extend([created_at as Param<'_>, tenant, id]);
    }
    let list = statements::list(filter);
    let found = read_planned(client, Query(&list, &params)).await?;
    let read = |row| -> Result<RunInfo, TxError> { Ok(rows::info_columns(row)?.read_for_list()?) };
    let runs: Result<Vec<_>, _> = found.iter().map(read).collect();
    Ok(Page::of(runs?, filter.limit))
}
