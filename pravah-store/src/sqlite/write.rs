//! What changes a run, each within a transaction.

use std::time::{Duration, SystemTime};

use pravah_runtime::Changes;
use rusqlite::{Connection, OptionalExtension, named_params, params};

use super::{rows, statements};
use crate::{
    Claim, ClaimRequest, Command, Commit, Lease, NewRun, Release, Retention, RunKey, Status,
    StoreError, TenantFilter,
    columns::{self, CommitColumns, RunRow, StepColumns, signed, to_json, unsigned},
    command::Waiting,
    entries::put_all,
    error::with_sources,
    time,
    tx_error::TxError,
};

/// The row of a run that was put in; `None` if there was one.
fn insert_run(
    connection: &Connection,
    (key, flow): (&RunKey, &str),
    forked_from: Option<(&str, u64)>,
    now: SystemTime,
) -> Result<Option<i64>, TxError> {
    if let Some(found) = rows::find(connection, key)? {
        if found.flow == flow {
            return Ok(None);
        }
        return Err(StoreError::already_exists(key.id(), found.flow).into());
    }
    let mut statement = connection.prepare_cached(statements::INSERT_RUN)?;
    let (from, step) = forked_from.unzip();
    statement.execute(params![
        key.tenant_column(),
        key.id(),
        flow,
        time::to_millis(now),
        from,
        step.map(signed),
    ])?;
    Ok(Some(connection.last_insert_rowid()))
}

pub(super) fn start(
    connection: &Connection,
    run: &NewRun,
    now: SystemTime,
) -> Result<bool, TxError> {
    let Some(seq) = insert_run(connection, (&run.key, &run.flow), None, now)? else {
        return Ok(false);
    };
    let mut statement = connection.prepare_cached(statements::INSERT_TAG)?;
    for (name, value) in &run.tags {
        statement.execute(params![seq, name, value])?;
    }
    write_start(connection, seq, &run.entries, now)?;
    Ok(true)
}

pub(super) fn fork(
    connection: &Connection,
    (key, step): (&RunKey, u64),
    fork: &RunKey,
    now: SystemTime,
) -> Result<bool, TxError> {
    let found = rows::get(connection, key)?;
    let entries = put_all(&rows::entries_at(connection, key, &found, step)?)?;
    let forked_from = Some((key.id(), step));
    let Some(seq) = insert_run(connection, (fork, &found.flow), forked_from, now)? else {
        return Ok(false);
    };
    let mut copy = connection.prepare_cached(statements::COPY_TAGS)?;
    copy.execute([found.seq, seq])?;
    write_start(connection, seq, &entries, now)?;
    Ok(true)
}

fn write_start(
    connection: &Connection,
    seq: i64,
    entries: &Changes,
    now: SystemTime,
) -> Result<(), TxError> {
    apply(connection, seq, entries)?;
    append_history(
        connection,
        (seq, 0),
        &Commit::new(entries.clone(), Status::Ready),
        now,
    )
}

pub(super) fn claim(
    connection: &Connection,
    request: &ClaimRequest,
    now: SystemTime,
) -> Result<Vec<Claim>, TxError> {
    let until = time::to_millis(time::after(now, request.lease));
    let flows = to_json("the ids of flows", &request.flows)?;
    let limit = columns::limit(request.limit);
    let mut statement = connection.prepare_cached(statements::CLAIMABLE)?;
    let found = statement.query_map(params![time::to_millis(now), flows, limit], |row| {
        row.get(0)
    })?;
    let found: Vec<i64> = found.collect::<Result<_, _>>()?;
    let mut claim = connection.prepare_cached(statements::CLAIM)?;
    let mut claimed = connection.prepare_cached(statements::CLAIMED)?;
    let mut claims = Vec::new();
    let mut next = connection.prepare_cached(statements::NEXT_LEASE)?;
    for seq in found {
        next.execute([])?;
        claim.execute(params![seq, request.owner, until])?;
        let row = claimed.query_row([seq], |row| Ok(rows::info_with_number(row)))?;
        let (number, info) = match row {
            Ok(read) => read,
            // It keeps no other run from being claimed.
            Err(error) => {
                let error = with_sources(&error.while_doing("claim runs"));
                tracing::error!(error, "a run that cannot be read is parked");
                let params = params![seq, error, time::to_millis(now)];
                connection.execute(statements::RELEASE_PARKED, params)?;
                continue;
            }
        };
        let lease = Lease::new(info.key.clone(), &*request.owner, unsigned(number));
        claims.push(Claim::new(lease, info));
    }
    Ok(claims)
}

/// The run that a lease is of, if the lease still holds.
fn leased(connection: &Connection, lease: &Lease, now: SystemTime) -> Result<RunRow, TxError> {
    let mut statement = connection.prepare_cached(statements::LEASED)?;
    let params = params![
        lease.key.tenant_column(),
        lease.key.id(),
        signed(lease.number),
        lease.owner,
        time::to_millis(now),
    ];
    let row = statement.query_row(params, |row| Ok(rows::read_run_row(row)));
    let found = row.optional()?.transpose()?;
    found.ok_or_else(|| StoreError::lease_lost(lease.key.id()).into())
}

pub(super) fn renew(
    connection: &Connection,
    lease: &Lease,
    duration: Duration,
    now: SystemTime,
) -> Result<u64, TxError> {
    let found = leased(connection, lease, now)?;
    let until = time::to_millis(time::after(now, duration));
    let mut statement = connection.prepare_cached(statements::RENEW)?;
    statement.execute([found.seq, until])?;
    Ok(unsigned(found.last_command))
}

pub(super) fn release(
    connection: &Connection,
    lease: &Lease,
    release: &Release,
    now: SystemTime,
) -> Result<(), TxError> {
    let RunRow { seq, .. } = leased(connection, lease, now)?;
    match release {
        Release::Stopped => connection.execute(statements::RELEASE_STOPPED, [seq])?,
        Release::Failed { error, retry_at } => {
            let params = params![seq, error, time::to_millis(*retry_at)];
            connection.execute(statements::RELEASE_FAILED, params)?
        }
        Release::Parked { error } => {
            let params = params![seq, error, time::to_millis(now)];
            connection.execute(statements::RELEASE_PARKED, params)?
        }
    };
    connection.execute(
        statements::WAKE_TO_CANCEL,
        params![seq, time::to_millis(now)],
    )?;
    Ok(())
}

pub(super) fn commit(
    connection: &Connection,
    lease: &Lease,
    commit: &Commit,
    now: SystemTime,
) -> Result<u64, TxError> {
    let found = leased(connection, lease, now)?;
    let seq = found.seq;
    remove_commands(connection, seq, commit)?;
    let columns = CommitColumns::of(commit)?;
    let step = found.step.saturating_add(i64::from(commit.is_step()));
    if commit.is_step() {
        apply(connection, seq, &commit.changes)?;
        append_history(connection, (seq, step), commit, now)?;
    }
    let mut statement = connection.prepare_cached(statements::COMMIT)?;
    statement.execute(named_params! {
        ":seq": seq,
        ":step": step,
        ":status": columns.status,
        ":now": time::to_millis(now),
        ":wake_at": commit.claimable_at(now).map(time::to_millis),
        ":questions": columns.questions,
        ":output": commit.output,
        ":error": commit.error,
        ":is_progress": columns.is_progress,
        ":release": commit.release,
    })?;
    let mut statement = connection.prepare_cached(statements::HAS_UNSEEN)?;
    let params = params![seq, columns.seen, columns.has_failed];
    if statement.query_row(params, |row| row.get(0))? {
        wake(connection, seq, now)?;
    }
    Ok(unsigned(found.last_command))
}

fn remove_commands(connection: &Connection, seq: i64, commit: &Commit) -> Result<(), TxError> {
    if commit.status.has_ended() {
        connection.execute(statements::DELETE_COMMANDS, [seq])?;
        return Ok(());
    }
    let mut statement = connection.prepare_cached(statements::DELETE_COMMAND)?;
    for number in commit.removed() {
        statement.execute([seq, signed(number)])?;
    }
    Ok(())
}

fn apply(connection: &Connection, seq: i64, changes: &Changes) -> Result<(), TxError> {
    let mut delete = connection.prepare_cached(statements::DELETE_ENTRY)?;
    let mut delete_under = connection.prepare_cached(statements::DELETE_ENTRIES_UNDER)?;
    for key in changes.deleted() {
        delete.execute(params![seq, key])?;
        // `0` follows `/`, in Unicode as in SQLite's order of texts.
        delete_under.execute(params![seq, format!("{key}/"), format!("{key}0")])?;
    }
    let mut put = connection.prepare_cached(statements::PUT_ENTRY)?;
    for (key, value) in changes.put() {
        put.execute(params![seq, key, value])?;
    }
    Ok(())
}

fn append_history(
    connection: &Connection,
    (seq, step): (i64, i64),
    commit: &Commit,
    now: SystemTime,
) -> Result<(), TxError> {
    let columns = StepColumns::of(commit)?;
    let mut statement = connection.prepare_cached(statements::INSERT_HISTORY)?;
    statement.execute(params![
        seq,
        step,
        time::to_millis(now),
        commit.status.name(),
        columns.node,
        columns.taken,
        columns.refused,
        columns.changes,
    ])?;
    Ok(())
}

pub(super) fn push(
    connection: &Connection,
    key: &RunKey,
    command: &Command,
    now: SystemTime,
) -> Result<u64, TxError> {
    let found = rows::get(connection, key)?;
    found.check_not_ended(key)?;
    let waiting = waiting(connection, found.seq)?;
    let (number, json) = found.check_push(key, command, &waiting)?;
    let mut statement = connection.prepare_cached(statements::INSERT_COMMAND)?;
    statement.execute(params![
        found.seq,
        number,
        command.is_cancel(),
        command.is_early(),
        json
    ])?;
    let mut statement = connection.prepare_cached(statements::SET_LAST_COMMAND)?;
    statement.execute([found.seq, number])?;
    if command.wakes(found.status) {
        wake(connection, found.seq, now)?;
    }
    Ok(unsigned(number))
}

/// What waits in the inbox of a run.
fn waiting(connection: &Connection, seq: i64) -> Result<Waiting, TxError> {
    let mut statement = connection.prepare_cached(statements::COUNT_COMMANDS)?;
    let counts = statement.query_row([seq], |row| row.try_into())?;
    Ok(columns::waiting(counts))
}

fn wake(connection: &Connection, seq: i64, now: SystemTime) -> Result<(), TxError> {
    let mut statement = connection.prepare_cached(statements::WAKE)?;
    statement.execute([seq, time::to_millis(now)])?;
    Ok(())
}

pub(super) fn retry(connection: &Connection, key: &RunKey, now: SystemTime) -> Result<(), TxError> {
    let found = rows::get(connection, key)?;
    found.check_failed(key)?;
    connection.execute(statements::RETRY, [found.seq, time::to_millis(now)])?;
    Ok(())
}

pub(super) fn prune(
    connection: &Connection,
    tenant: &TenantFilter,
    retention: Retention,
    now: SystemTime,
) -> Result<u64, TxError> {
    let kept_since = time::to_millis(retention.kept_since(now));
    let max = retention.max_runs.map_or(i64::MAX, signed);
    let tenant = tenant.column();
    let statement = match tenant {
        Some(_) => statements::PRUNE,
        None => statements::PRUNE_EVERY,
    };
    let params = params![tenant, kept_since, max];
    let pruned = connection.execute(statement, params)?;
    Ok(u64::try_from(pruned).unwrap_or(u64::MAX))
}
