//! What changes runs that exist. Why no two of these get in each other's way is said with the [statements](super::statements).

use std::time::{Duration, SystemTime};

use deadpool_postgres::Object;
use tokio_postgres::Row;

use super::{
    commit::{CommitParams, check_output},
    listener::{Channels, Topic},
    rows::{self, without_nul},
    statements,
    transaction::{self, Param, Query, RunNotification, Transaction, query},
};
use crate::{
    Claim, ClaimRequest, Command, Commit, Lease, Release, Retention, RunKey, StoreError,
    TenantFilter,
    columns::{self, RunRow, signed, unsigned},
    error::with_sources,
    time,
    time::SharedClock,
    tx_error::TxError,
};

/// A connection, with the clock that counts and the channels of notifications.
pub(super) struct Writer<'a> {
    pub(super) client: Object,
    pub(super) clock: &'a SharedClock,
    /// Whether that counts, and not the clock of the database.
    pub(super) is_clock_set: bool,
    pub(super) channels: &'a Channels,
}

impl Writer<'_> {
    /// The time now for a statement; nothing where that asks the database.
    pub(super) fn now(&self) -> Option<i64> {
        let now = || time::to_millis(self.clock.0.now());
        self.is_clock_set.then(now)
    }

    /// The time after a run was locked, before which nothing happens to it that is written now: what the database has said
    /// then, or what the clock shows that is set.
    fn now_that_it_is_locked(&self, rows: &[Row]) -> Result<SystemTime, TxError> {
        let now = match (self.now(), rows.first()) {
            (None, Some(row)) => row.try_get(0)?,
            (now, _) => now.unwrap_or_default(),
        };
        Ok(time::from_millis(now))
    }

    pub(super) async fn claim(&self, request: &ClaimRequest) -> Result<Vec<Claim>, TxError> {
        let lease = addable_millis(request.lease);
        let flows = request.flows.iter().filter(|flow| !flow.contains('\0'));
        let flows: Vec<_> = flows.collect();
        let (now, limit) = (self.now(), columns::limit(request.limit));
        let owner = without_nul(&request.owner);
        let claim: [Param<'_>; 5] = [&now, &flows, &limit, &owner, &lease];
        let rows = query(&self.client, Query(statements::CLAIM, &claim)).await?;
        let mut claims = Vec::with_capacity(rows.len());
        for row in &rows {
            match read_claim(row, request) {
                Ok(claim) => claims.push(claim),
                // It keeps no other run from being claimed.
                Err(error) => self.park(row, error).await,
            }
        }
        claims.sort_by(|a, b| (a.info.wake_at, &a.info.key).cmp(&(b.info.wake_at, &b.info.key)));
        Ok(claims)
    }

    /// Parks a run that was claimed and cannot be read. Where that fails, it is tried again when the lease has ended.
    async fn park(&self, row: &Row, error: TxError) {
        let error = with_sources(&error.while_doing("claim runs"));
        tracing::error!(error, "a run that cannot be read is parked");
        if let Err(error) = self.park_claimed(row, &error).await {
            let error = error.while_doing("park a run");
            tracing::warn!(%error, "a run that cannot be read was not parked");
        }
    }

    async fn park_claimed(&self, row: &Row, error: &str) -> Result<(), TxError> {
        let (seq, lease): (i64, i64) = (row.try_get("seq")?, row.try_get("lease")?);
        let (error, now) = (without_nul(error), time::to_millis(self.clock.0.now()));
        let park: [Param<'_>; 4] = [&seq, &lease, &error, &now];
        query(&self.client, Query(statements::PARK_CLAIMED, &park)).await?;
        Ok(())
    }

    pub(super) async fn renew(&self, lease: &Lease, duration: Duration) -> Result<u64, TxError> {
        let duration = addable_millis(duration);
        let renew = Query(statements::RENEW, &[&duration]);
        self.write_leased(lease, &[renew], None).await
    }

    pub(super) async fn release(&self, lease: &Lease, release: &Release) -> Result<(), TxError> {
        let (error, retry_at) = match release {
            Release::Stopped => ("", 0),
            Release::Failed { error, retry_at } => (&**error, time::to_millis(*retry_at)),
            Release::Parked { error } => (&**error, 0),
        };
        let error = without_nul(error);
        let params: [Param<'_>; 2] = [&error, &retry_at];
        let release = match release {
            Release::Stopped => Query(statements::RELEASE_STOPPED, &[]),
            Release::Failed { .. } => Query(statements::RELEASE_FAILED, &params),
            Release::Parked { .. } => Query(statements::RELEASE_PARKED, &params[..1]),
        };
        let wake = Query(statements::WAKE_TO_CANCEL, &[]);
        let notification = self.notification(&[Topic::Run], &lease.key);
        self.write_leased(lease, &[release, wake], Some(&notification))
            .await?;
        Ok(())
    }

    pub(super) async fn commit(
        &self,
        lease: &Lease,
        commit: &Commit,
        topics: &[Topic],
    ) -> Result<u64, TxError> {
        check_output(commit.output.as_deref())?;
        let params = CommitParams::of(commit)?;
        let statements = params.statements();
        let queries = statements.iter().map(|(sql, params)| Query(sql, params));
        let queries: Vec<_> = queries.collect();
        let notification = self.notification(topics, &lease.key);
        self.write_leased(lease, &queries, Some(&notification))
            .await
    }

    /// Runs statements on the run of a lease, if that still holds. Returns the number of the last command.
    async fn write_leased(
        &self,
        lease: &Lease,
        queries: &[Query<'_>],
        notification: Option<&RunNotification<'_>>,
    ) -> Result<u64, TxError> {
        let (tenant, id) = (lease.key.tenant_column(), lease.key.id());
        let (number, owner) = (signed(lease.number), without_nul(&lease.owner));
        let now = self.now();
        let lock: [Param<'_>; 5] = [&tenant, &id, &number, &owner, &now];
        let lock = Query(statements::LOCK_HELD, &lock);
        let queries = [&[lock], queries].concat();
        let found = transaction::write(&self.client, &queries, notification).await?;
        match found.first() {
            Some(row) if row.try_get(0)? => Ok(unsigned(row.try_get(1)?)),
            _ => Err(StoreError::lease_lost(lease.key.id()).into()),
        }
    }

    pub(super) async fn push(&self, key: &RunKey, command: &Command) -> Result<u64, TxError> {
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
        let notification = self.notification(&[Topic::Run], key);
        transaction.commit(&queries, &notification).await?;
        Ok(unsigned(number))
    }

    pub(super) async fn retry(&self, key: &RunKey) -> Result<(), TxError> {
        let of: [Param<'_>; 2] = [&key.tenant_column(), &key.id()];
        let queries = [Query(statements::LOCK, &of), Query(statements::NOW, &[])];
        let (transaction, [rows, now]) = Transaction::begin(&self.client, queries).await?;
        let found = rows::run_row(&rows, key).and_then(|found| {
            found.check_failed(key)?;
            Ok(found)
        });
        let (transaction, found) = transaction.checked(found).await?;
        let now = self.now_that_it_is_locked(&now);
        let (transaction, now) = transaction.checked(now).await?;
        let now = time::to_millis(now);
        let retry = Query(statements::RETRY, &[&found.seq, &now]);
        let notification = self.notification(&[Topic::Run], key);
        transaction.commit(&[retry], &notification).await?;
        Ok(())
    }

    pub(super) async fn prune(
        &self,
        tenant: &TenantFilter,
        retention: Retention,
    ) -> Result<u64, TxError> {
        let tenant = tenant.column();
        let statement = match tenant {
            Some(_) => statements::PRUNE,
            None => statements::PRUNE_EVERY,
        };
        // No run has such a tenant, and no parameter is one.
        if tenant.is_some_and(|tenant| tenant.contains('\0')) {
            return Ok(0);
        }
        let kept_since = time::to_millis(retention.kept_since(self.clock.0.now()));
        let max = retention.max_runs.map_or(i64::MAX, signed);
        let prune: [Param<'_>; 3] = [&tenant, &kept_since, &max];
        let rows = transaction::write_scanning(&self.client, Query(statement, &prune)).await?;
        let pruned = rows.first().map(|row| row.try_get(0)).transpose()?;
        Ok(pruned.map(unsigned).unwrap_or_default())
    }

    /// What other processes are told of a run.
    pub(super) fn notification(&self, topics: &[Topic], key: &RunKey) -> RunNotification<'_> {
        self.channels.notification(topics, key)
    }
}

/// A duration as it can be added to a time.
fn addable_millis(duration: Duration) -> i64 {
    let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
    millis.min(i64::MAX / 2)
}

/// The run that a command is pushed to, and the command's number and JSON.
fn pushed(
    key: &RunKey,
    command: &Command,
    [found, counts]: [&[Row]; 2],
) -> Result<(RunRow, i64, String), TxError> {
    let found = rows::run_row(found, key)?;
    found.check_not_ended(key)?;
    let counts = match counts.first() {
        Some(row) => (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?),
        None => (0, 0, 0),
    };
    let (number, json) = found.check_push(key, command, &columns::waiting(counts))?;
    Ok((found, number, json))
}

fn read_claim(row: &Row, request: &ClaimRequest) -> Result<Claim, TxError> {
    let info = rows::info_columns(row)?.read()?;
    let number: i64 = row.try_get("lease")?;
    let lease = Lease::new(info.key.clone(), &*request.owner, unsigned(number));
    Ok(Claim::new(lease, info))
}
