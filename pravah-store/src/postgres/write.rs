//! What changes runs that exist. Why no two of these get in each other's way is said with the [statements](super::statements).

use std::time::{Duration, SystemTime};

use deadpool_postgres::Object;
use pravah_runtime::Changes;
use tokio_postgres::Row;

use super::{
    listener::{Hub, Topic},
    rows::{self, readable},
    statements,
    transaction::{Param, Query, Transaction, query},
};
use crate::{
    Claim, ClaimRequest, Command, Commit, Lease, Release, Retention, RunKey, StoreError,
    columns::{self, CommitColumns, Found, HistoryColumns, signed, unsigned},
    error::with_sources,
    failure::Failure,
    time,
    time::SharedClock,
};

/// A connection, with the clock that counts and those to be told.
pub(super) struct Writer<'a> {
    pub(super) client: Object,
    pub(super) clock: &'a SharedClock,
    /// Whether that counts, and not the clock of the database.
    pub(super) is_clock_set: bool,
    pub(super) hub: &'a Hub,
}

impl Writer<'_> {
    /// The time now for a statement; nothing where that asks the database.
    pub(super) fn now(&self) -> Option<i64> {
        let now = || time::to_millis(self.clock.0.now());
        self.is_clock_set.then(now)
    }

    /// The time after a run was locked, before which nothing happens to it that is written now: what the database has said
    /// then, or what the clock shows that is set.
    fn now_that_it_is_locked(&self, rows: &[Row]) -> Result<SystemTime, Failure> {
        let now = match (self.now(), rows.first()) {
            (None, Some(row)) => row.try_get(0)?,
            (now, _) => now.unwrap_or_default(),
        };
        Ok(time::from_millis(now))
    }

    pub(super) async fn claim(&self, request: &ClaimRequest) -> Result<Vec<Claim>, Failure> {
        // As a number that can be added to a time.
        let lease = i64::try_from(request.lease.as_millis()).unwrap_or(i64::MAX);
        let lease = lease.min(i64::MAX / 2);
        let flows = request.flows.iter().filter(|flow| !flow.contains('\0'));
        let flows: Vec<_> = flows.collect();
        let (now, limit) = (self.now(), columns::limit(request.limit));
        let owner = readable(&request.owner);
        let claim: [Param<'_>; 5] = [&now, &flows, &limit, &owner, &lease];
        let rows = query(&self.client, Query(statements::CLAIM, &claim)).await?;
        let mut claims = Vec::with_capacity(rows.len());
        for row in &rows {
            match read_claim(row, request) {
                Ok(claim) => claims.push(claim),
                // It keeps no other run from being claimed.
                Err(failure) => self.park(row, failure).await,
            }
        }
        claims.sort_by(|a, b| (a.info.wake_at, &a.info.key).cmp(&(b.info.wake_at, &b.info.key)));
        Ok(claims)
    }

    /// Parks a run that was claimed and cannot be read. Where that fails, it is tried again when the lease has ended.
    async fn park(&self, row: &Row, failure: Failure) {
        let error = with_sources(&failure.while_doing("claim runs"));
        tracing::error!(error, "a run that cannot be read is parked");
        if let Err(failure) = self.park_claimed(row, &error).await {
            let error = failure.while_doing("park a run");
            tracing::warn!(%error, "a run that cannot be read was not parked");
        }
    }

    async fn park_claimed(&self, row: &Row, error: &str) -> Result<(), Failure> {
        let (seq, lease): (i64, i64) = (row.try_get("seq")?, row.try_get("lease")?);
        let (error, now) = (readable(error), time::to_millis(self.clock.0.now()));
        let park: [Param<'_>; 4] = [&seq, &lease, &error, &now];
        query(&self.client, Query(statements::PARK_CLAIMED, &park)).await?;
        Ok(())
    }

    /// Locks the run of a lease, if that still holds.
    async fn lock_leased(
        &self,
        lease: &Lease,
    ) -> Result<(Transaction<'_>, Found, SystemTime), Failure> {
        let of: [Param<'_>; 2] = [&lease.key.tenant_column(), &lease.key.id()];
        let queries = [
            Query(statements::LOCK_LEASED, &of),
            Query(statements::NOW, &[]),
        ];
        let (transaction, [rows, now]) = Transaction::begin(&self.client, queries).await?;
        let now = self.now_that_it_is_locked(&now);
        let (transaction, now) = transaction.checked(now).await?;
        let found = leased(&rows, lease, now);
        let (transaction, found) = transaction.checked(found).await?;
        Ok((transaction, found, now))
    }

    pub(super) async fn renew(&self, lease: &Lease, time: Duration) -> Result<u64, Failure> {
        let (transaction, found, now) = self.lock_leased(lease).await?;
        let until = time::to_millis(time::after(now, time));
        let renew = Query(statements::RENEW, &[&found.seq, &until]);
        transaction.commit(&[renew], None).await?;
        Ok(unsigned(found.last_command))
    }

    pub(super) async fn release(&self, lease: &Lease, release: &Release) -> Result<(), Failure> {
        let (transaction, found, now) = self.lock_leased(lease).await?;
        let (seq, now) = (found.seq, time::to_millis(now));
        let (error, at) = match release {
            Release::Stopped => ("", now),
            Release::Failed { error, retry_at } => (&**error, time::to_millis(*retry_at)),
            Release::Parked { error } => (&**error, now),
        };
        let error = readable(error);
        let said: [Param<'_>; 3] = [&seq, &error, &at];
        let release = match release {
            Release::Stopped => Query(statements::RELEASE_STOPPED, &[&seq]),
            Release::Failed { .. } => Query(statements::RELEASE_FAILED, &said),
            Release::Parked { .. } => Query(statements::RELEASE_PARKED, &said),
        };
        let wake = Query(statements::WAKE_TO_CANCEL, &[&seq, &now]);
        let (channels, payload) = self.said(&[Topic::Run], &lease.key);
        let notify = Query(statements::NOTIFY, &[&channels, &payload]);
        transaction.commit(&[release, wake], Some(notify)).await?;
        Ok(())
    }

    pub(super) async fn commit(
        &self,
        lease: &Lease,
        commit: &Commit,
        topics: &[Topic],
    ) -> Result<u64, Failure> {
        check_output(commit.output.as_deref())?;
        let (transaction, found, now) = self.lock_leased(lease).await?;
        let columns = commit_columns(commit, &found, now);
        let (transaction, (run, history, changes)) = transaction.checked(columns).await?;
        let seq = found.seq;
        let removed: Vec<_> = commit.removed().map(signed).collect();
        let (starts, ends) = deleted_ranges(&commit.changes);
        let (keys, values) = put(&commit.changes);
        let error = commit.error.as_deref().map(readable);

        let (removed, deleted, put): ([Param<'_>; 2], [Param<'_>; 3], [Param<'_>; 3]) = (
            [&seq, &removed],
            [&seq, &starts, &ends],
            [&seq, &keys, &values],
        );
        let row = history_params(&seq, &history, &changes);
        let set: [Param<'_>; 12] = [
            &seq,
            &run.step,
            &run.status,
            &run.now,
            &run.wake_at,
            &run.questions,
            &commit.output,
            &error,
            &run.is_progress,
            &commit.release,
            &run.seen,
            &run.has_failed,
        ];
        let seq: [Param<'_>; 1] = [&seq];
        let mut queries = Vec::with_capacity(5);
        if commit.status.has_ended() {
            queries.push(Query(statements::DELETE_ALL_COMMANDS, &seq));
        } else if commit.removed().next().is_some() {
            queries.push(Query(statements::DELETE_COMMANDS, &removed));
        }
        if !starts.is_empty() {
            queries.push(Query(statements::DELETE_ENTRIES, &deleted));
        }
        if !keys.is_empty() {
            queries.push(Query(statements::PUT_ENTRIES, &put));
        }
        if commit.is_step() {
            queries.push(Query(statements::INSERT_HISTORY, &row));
        }
        queries.push(Query(statements::COMMIT_RUN, &set));
        let (channels, payload) = self.said(topics, &lease.key);
        let notify = Query(statements::NOTIFY, &[&channels, &payload]);
        transaction.commit(&queries, Some(notify)).await?;
        Ok(unsigned(found.last_command))
    }

    pub(super) async fn push(&self, key: &RunKey, command: &Command) -> Result<u64, Failure> {
        let of: [Param<'_>; 2] = [&key.tenant_column(), &key.id()];
        // What is counted is counted after the lock was given: no other command comes in between.
        let queries = [
            Query(statements::LOCK, &of),
            Query(statements::COUNT_COMMANDS, &of),
            Query(statements::NOW, &[]),
        ];
        let (transaction, [found, counts, now]) = Transaction::begin(&self.client, queries).await?;
        let pushed = pushed(key, command, [&found, &counts]);
        let (transaction, (found, number, json)) = transaction.checked(pushed).await?;
        let now = self.now_that_it_is_locked(&now);
        let (transaction, now) = transaction.checked(now).await?;
        let (is_cancel, is_early) = (command.is_cancel(), command.is_early());
        let insert: [Param<'_>; 5] = [&found.seq, &number, &is_cancel, &is_early, &json];
        let (wakes, now) = (command.wakes(found.status), time::to_millis(now));
        let set: [Param<'_>; 4] = [&found.seq, &number, &wakes, &now];
        let queries = [
            Query(statements::INSERT_COMMAND, &insert),
            Query(statements::SET_LAST_COMMAND, &set),
        ];
        let (channels, payload) = self.said(&[Topic::Run], key);
        let notify = Query(statements::NOTIFY, &[&channels, &payload]);
        transaction.commit(&queries, Some(notify)).await?;
        Ok(unsigned(number))
    }

    pub(super) async fn retry(&self, key: &RunKey) -> Result<(), Failure> {
        let of: [Param<'_>; 2] = [&key.tenant_column(), &key.id()];
        let queries = [Query(statements::LOCK, &of), Query(statements::NOW, &[])];
        let (transaction, [rows, now]) = Transaction::begin(&self.client, queries).await?;
        let found = rows::found(&rows, key).and_then(|found| {
            found.check_failed(key)?;
            Ok(found)
        });
        let (transaction, found) = transaction.checked(found).await?;
        let now = self.now_that_it_is_locked(&now);
        let (transaction, now) = transaction.checked(now).await?;
        let now = time::to_millis(now);
        let retry = Query(statements::RETRY, &[&found.seq, &now]);
        let (channels, payload) = self.said(&[Topic::Run], key);
        let notify = Query(statements::NOTIFY, &[&channels, &payload]);
        transaction.commit(&[retry], Some(notify)).await?;
        Ok(())
    }

    pub(super) async fn prune(
        &self,
        tenant: Option<&str>,
        retention: Retention,
    ) -> Result<u64, Failure> {
        let tenant = tenant.unwrap_or_default();
        // No run has such a tenant, and no parameter is one.
        if tenant.contains('\0') {
            return Ok(0);
        }
        let kept_since = time::to_millis(retention.kept_since(self.clock.0.now()));
        let max = retention.max_runs.map_or(i64::MAX, signed);
        let prune: [Param<'_>; 3] = [&tenant, &kept_since, &max];
        let rows = query(&self.client, Query(statements::PRUNE, &prune)).await?;
        let pruned = rows.first().map(|row| row.try_get(0)).transpose()?;
        Ok(pruned.map(unsigned).unwrap_or_default())
    }

    /// What is said to others of a run, and where.
    pub(super) fn said(&self, topics: &[Topic], key: &RunKey) -> (Vec<&str>, String) {
        (self.hub.channels(topics), self.hub.payload(key))
    }
}

/// The run of a lease, if that still holds.
fn leased(rows: &[Row], lease: &Lease, now: SystemTime) -> Result<Found, Failure> {
    let lost = || StoreError::lease_lost(lease.key.id());
    let row = rows.first().ok_or_else(lost)?;
    let number: i64 = row.try_get("lease")?;
    let owner: Option<&str> = row.try_get("lease_owner")?;
    let until: Option<i64> = row.try_get("lease_until")?;
    let is_newest = number == signed(lease.number) && owner == Some(&*readable(&lease.owner));
    match is_newest && until.is_some_and(|until| until > time::to_millis(now)) {
        true => rows::read_found(row),
        false => Err(lost().into()),
    }
}

/// The run that a command is pushed to, and the command's number and JSON.
fn pushed(
    key: &RunKey,
    command: &Command,
    [found, counts]: [&[Row]; 2],
) -> Result<(Found, i64, String), Failure> {
    let found = rows::found(found, key)?;
    found.check_not_ended(key)?;
    let counts = match counts.first() {
        Some(row) => (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?),
        None => (0, 0, 0),
    };
    let (number, json) = found.check_push(key, command, &columns::waiting(counts))?;
    Ok((found, number, json))
}

fn read_claim(row: &Row, request: &ClaimRequest) -> Result<Claim, Failure> {
    let info = rows::info_columns(row)?.read()?;
    let number: i64 = row.try_get("lease")?;
    let lease = Lease::new(info.key.clone(), &*request.owner, unsigned(number));
    Ok(Claim::new(lease, info))
}

fn commit_columns(
    commit: &Commit,
    found: &Found,
    now: SystemTime,
) -> Result<(CommitColumns, HistoryColumns, String), StoreError> {
    let run = CommitColumns::of(commit, found, now)?;
    let history = HistoryColumns::of(commit, run.step, now)?;
    Ok((run, history, columns::changes_to_json(&commit.changes)?))
}

/// An output is JSON, which has no such character.
fn check_output(output: Option<&str>) -> Result<(), StoreError> {
    match output.is_some_and(|output| output.contains('\0')) {
        true => Err(StoreError::not_storable(
            "the output of a run",
            "it has a U+0000 in it",
        )),
        false => Ok(()),
    }
}

/// The keys and values that are put.
pub(super) fn put(changes: &Changes) -> (Vec<&[u8]>, Vec<&str>) {
    let put = changes.put();
    put.map(|(key, value)| (key.as_bytes(), value)).unzip()
}

/// The ranges of keys that are deleted: for each key itself, and all that start with it and a `/`. None has its end in it.
fn deleted_ranges(changes: &Changes) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    let with = |key: &str, last: u8| [key.as_bytes(), &[last]].concat();
    for key in changes.deleted() {
        // The first key after another is that with a zero; `0` follows `/`.
        starts.extend([key.as_bytes().to_vec(), with(key, b'/')]);
        ends.extend([with(key, 0), with(key, b'0')]);
    }
    (starts, ends)
}

fn history_params<'a>(
    seq: &'a i64,
    history: &'a HistoryColumns,
    changes: &'a String,
) -> [Param<'a>; 8] {
    [
        seq,
        &history.step,
        &history.at,
        &history.status,
        &history.node,
        &history.taken,
        &history.refused,
        changes,
    ]
}
