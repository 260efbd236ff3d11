//! What puts runs in. Why no two of these get in each other's way is said with the [statements](super::statements).

use std::collections::BTreeMap;

use pravah_runtime::Changes;
use tokio_postgres::Row;

use super::{
    commit::put,
    listener::Topic,
    rows, statements,
    transaction::{Param, Query, Transaction, query, query_and_notify},
    write::Writer,
};
use crate::{
    NewRun, RunKey, StoreError,
    columns::{self, signed},
    entries::put_all,
    tx_error::TxError,
};

/// A run that is about to be put in.
struct Start<'a> {
    key: &'a RunKey,
    flow: &'a str,
    forked_from: Option<(&'a str, u64)>,
    tags: &'a BTreeMap<String, String>,
    entries: &'a Changes,
}

impl Writer<'_> {
    pub(super) async fn start(&self, run: &NewRun) -> Result<bool, TxError> {
        let start = Start {
            key: &run.key,
            flow: &run.flow,
            forked_from: None,
            tags: &run.tags,
            entries: &run.entries,
        };
        loop {
            if self.insert(None, &start).await? {
                return Ok(true);
            }
            if let Some(flow) = self.flow(&run.key).await? {
                return is_same_flow(&start, flow);
            }
            // It was deleted meanwhile.
        }
    }

    pub(super) async fn fork(
        &self,
        (key, step): (&RunKey, u64),
        fork: &RunKey,
    ) -> Result<bool, TxError> {
        loop {
            let (tenant, id, until) = (key.tenant_column(), key.id(), signed(step));
            let of: [Param<'_>; 2] = [&tenant, &id];
            let queries = [
                Query(statements::KEEP, &of),
                Query(statements::TAGS, &of),
                Query(statements::CHANGES_UNTIL, &[&tenant, &id, &until]),
            ];
            let (transaction, [found, tags, changes]) =
                Transaction::begin(&self.client, queries).await?;
            let copied = copied((key, step), [&found, &tags, &changes]);
            let (transaction, (flow, tags, entries)) = transaction.checked(copied).await?;
            let start = Start {
                key: fork,
                flow: &flow,
                forked_from: Some((key.id(), step)),
                tags: &tags,
                entries: &entries,
            };
            if self.insert(Some(transaction), &start).await? {
                return Ok(true);
            }
            if let Some(flow) = self.flow(fork).await? {
                return is_same_flow(&start, flow);
            }
        }
    }

    /// Puts a run in, with which a transaction ends if there is one. Returns whether there was none of its key.
    async fn insert(
        &self,
        transaction: Option<Transaction<'_>>,
        start: &Start<'_>,
    ) -> Result<bool, TxError> {
        if start.flow.contains('\0') {
            return Err(StoreError::InvalidName {
                what: "the id of a flow",
                why: "must not contain U+0000",
            }
            .into());
        }
        let (names, values): (Vec<_>, Vec<_>) = start.tags.iter().unzip();
        let (keys, entries) = put(start.entries);
        let (from, step) = start.forked_from.unzip();
        let insert = Query(
            statements::INSERT_RUN,
            &[
                &start.key.tenant_column(),
                &start.key.id(),
                &start.flow,
                &self.now(),
                &from,
                &step.map(signed),
                &names,
                &values,
                &keys,
                &entries,
                &columns::changes_to_json(start.entries)?,
            ],
        );
        let notification = self.notification(&[Topic::Run], start.key);
        let inserted = match transaction {
            Some(transaction) => transaction.commit(&[insert], &notification).await?,
            None => query_and_notify(&self.client, insert, &notification).await?,
        };
        Ok(!inserted.is_empty())
    }

    /// The flow of a run, if there is one.
    async fn flow(&self, key: &RunKey) -> Result<Option<String>, TxError> {
        let of: [Param<'_>; 2] = [&key.tenant_column(), &key.id()];
        let rows = query(&self.client, Query(statements::FLOW, &of)).await?;
        Ok(rows.first().map(|row| row.try_get(0)).transpose()?)
    }
}

/// That there is a run already, if it is of the same flow.
fn is_same_flow(start: &Start<'_>, flow: String) -> Result<bool, TxError> {
    if flow == start.flow {
        Ok(false)
    } else {
        Err(StoreError::already_exists(start.key.id(), flow).into())
    }
}

/// The flow, tags and entries of a run after a step.
fn copied(
    (key, step): (&RunKey, u64),
    [found, tags, changes]: [&[Row]; 3],
) -> Result<(String, BTreeMap<String, String>, Changes), TxError> {
    let found = rows::run_row(found, key)?;
    found.check_step(key, step)?;
    let entries = put_all(&rows::entries_after(changes)?)?;
    let mut copy = BTreeMap::new();
    for row in tags {
        copy.insert(row.try_get(0)?, row.try_get(1)?);
    }
    Ok((found.flow, copy, entries))
}
