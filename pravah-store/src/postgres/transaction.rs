//! Statements that are on their way at once.

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    task::{Context, Waker},
};

use deadpool_postgres::ClientWrapper;
use futures_util::{
    FutureExt as _,
    future::{MaybeDone, maybe_done},
};
use tokio_postgres::{Error, Row, types::ToSql};

use super::statements;
use crate::tx_error::TxError;

pub(super) type Param<'a> = &'a (dyn ToSql + Sync);

/// A statement and its parameters.
#[derive(Clone, Copy)]
pub(super) struct Query<'a>(pub(super) &'a str, pub(super) &'a [Param<'a>]);

/// What other processes are told of a run, and through which channels.
pub(super) struct RunNotification<'a> {
    pub(super) channels: Vec<&'a str>,
    pub(super) payload: String,
}

impl RunNotification<'_> {
    fn params(&self) -> [Param<'_>; 2] {
        [&self.channels, &self.payload]
    }
}

fn notify<'a>(params: &'a [Param<'a>; 2]) -> Query<'a> {
    Query(statements::NOTIFY, params)
}

type Rows = Vec<Row>;

/// A statement that was prepared, or one without parameters.
enum Message<'a> {
    Prepared(tokio_postgres::Statement, &'a [Param<'a>]),
    Plain(&'static str),
}

/// Runs a single statement, which is a transaction of its own.
pub(super) async fn query(client: &ClientWrapper, query: Query<'_>) -> Result<Rows, TxError> {
    let statement = client.prepare_cached(query.0).await?;
    Ok(client.query(&statement, query.1).await?)
}

/// Reads what several queries find, all as of one moment, in one round trip.
pub(super) async fn read<const N: usize>(
    client: &ClientWrapper,
    queries: [Query<'_>; N],
) -> Result<[Rows; N], TxError> {
    read_within(client, statements::BEGIN_READ, queries).await
}

/// The same for one query, which is planned for its parameters.
pub(super) async fn read_planned(
    client: &ClientWrapper,
    query: Query<'_>,
) -> Result<Rows, TxError> {
    let [rows] = read_within(client, statements::BEGIN_PLANNED_READ, [query]).await?;
    Ok(rows)
}

async fn read_within<const N: usize>(
    client: &ClientWrapper,
    begin: &'static str,
    queries: [Query<'_>; N],
) -> Result<[Rows; N], TxError> {
    let mut messages = prepare(client, &queries).await?;
    messages.insert(0, Message::Plain(begin));
    messages.push(Message::Plain(statements::COMMIT));
    let guard = Transaction::guard(client);
    let mut rows = send(client, &messages).await?.into_iter().skip(1);
    guard.over();
    Ok(std::array::from_fn(|_| rows.next().unwrap_or_default()))
}

/// Runs a single statement, which is a transaction of its own, and then notifies others, in one round trip.
pub(super) async fn query_and_notify(
    client: &ClientWrapper,
    query: Query<'_>,
    notification: &RunNotification<'_>,
) -> Result<Rows, TxError> {
    let params = notification.params();
    let messages = prepare(client, &[query, notify(&params)]).await?;
    let rows = send(client, &messages).await?;
    Ok(rows.into_iter().next().unwrap_or_default())
}

/// A transaction that has begun. It is rolled back unless it is committed, also where its future is dropped.
pub(super) struct Transaction<'a> {
    client: &'a ClientWrapper,
    is_over: bool,
}

impl<'a> Transaction<'a> {
    /// Begins with these queries, in one round trip.
    pub(super) async fn begin<const N: usize>(
        client: &'a ClientWrapper,
        queries: [Query<'_>; N],
    ) -> Result<(Self, [Rows; N]), TxError> {
        let mut messages = prepare(client, &queries).await?;
        messages.insert(0, Message::Plain(statements::BEGIN));
        let transaction = Self::guard(client);
        let sent = send(client, &messages).await;
        let (transaction, rows) = transaction.checked(sent).await?;
        let mut rows = rows.into_iter().skip(1);
        let rows = std::array::from_fn(|_| rows.next().unwrap_or_default());
        Ok((transaction, rows))
    }

    /// Ends with these statements, and then notifies others, in one round trip. Returns what the first one has.
    pub(super) async fn commit(
        self,
        queries: &[Query<'_>],
        notification: &RunNotification<'_>,
    ) -> Result<Rows, TxError> {
        let messages = prepare(self.client, queries).await?;
        let rows = self.send_to_commit(messages, Some(notification)).await?;
        Ok(rows.into_iter().next().unwrap_or_default())
    }

    /// If one of the statements fails, the server refuses those after it, and rolls back where it is told to commit.
    async fn send_to_commit(
        self,
        mut messages: Vec<Message<'_>>,
        notification: Option<&RunNotification<'_>>,
    ) -> Result<Vec<Rows>, TxError> {
        messages.push(Message::Plain(statements::COMMIT));
        let params = notification.map(RunNotification::params);
        let notify = params.as_ref().map(notify);
        let notify = prepare(self.client, notify.as_slice()).await?;
        let mut committed = pin!(send(self.client, &messages));
        let mut notified = pin!(send(self.client, &notify).fuse());
        let sent = poll_fn(|context| {
            let committed = committed.as_mut().poll(context);
            // Not part of the transaction: PostgreSQL commits those that notify one after the other, each with its own wait
            // for the disk. It is sent right behind the commit, and its result is ignored: the step is committed by then,
            // and who misses the notification finds the change by polling.
            let _ = notified.as_mut().poll(context);
            committed
        });
        let sent = sent.await;
        let (this, rows) = self.checked(sent).await?;
        this.over();
        Ok(rows)
    }

    /// Continues with what was found, or rolls back: after an error nothing is locked any more.
    pub(super) async fn checked<T>(
        mut self,
        found: Result<T, impl Into<TxError>>,
    ) -> Result<(Self, T), TxError> {
        match found {
            Ok(found) => Ok((self, found)),
            Err(error) => {
                self.is_over = true;
                if let Err(error) = self.client.batch_execute(statements::ROLLBACK).await {
                    tracing::debug!(%error, "a transaction was not rolled back: its connection has ended");
                }
                Err(error.into())
            }
        }
    }

    fn guard(client: &'a ClientWrapper) -> Self {
        let is_over = false;
        Self { client, is_over }
    }

    fn over(mut self) {
        self.is_over = true;
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        // It is sent when it is polled first; whoever uses the connection next comes after it.
        let rollback = pin!(self.client.batch_execute(statements::ROLLBACK));
        let _ = rollback.poll(&mut Context::from_waker(Waker::noop()));
    }
}

/// Runs a whole transaction, and then notifies others, in one round trip. Returns what the first query has.
pub(super) async fn write(
    client: &ClientWrapper,
    queries: &[Query<'_>],
    notification: Option<&RunNotification<'_>>,
) -> Result<Rows, TxError> {
    write_within(client, statements::BEGIN, queries, notification).await
}

/// The same for one statement that may read whole tables, and is planned for its parameters.
pub(super) async fn write_scanning(
    client: &ClientWrapper,
    query: Query<'_>,
) -> Result<Rows, TxError> {
    write_within(client, statements::BEGIN_SCAN, &[query], None).await
}

async fn write_within(
    client: &ClientWrapper,
    begin: &'static str,
    queries: &[Query<'_>],
    notification: Option<&RunNotification<'_>>,
) -> Result<Rows, TxError> {
    let mut messages = prepare(client, queries).await?;
    messages.insert(0, Message::Plain(begin));
    let transaction = Transaction::guard(client);
    let rows = transaction.send_to_commit(messages, notification).await?;
    Ok(rows.into_iter().nth(1).unwrap_or_default())
}

async fn prepare<'a>(
    client: &ClientWrapper,
    queries: &[Query<'a>],
) -> Result<Vec<Message<'a>>, Error> {
    let mut messages = Vec::with_capacity(queries.len() + 3);
    for Query(sql, params) in queries {
        // It takes a round trip the first time on each connection, and none afterwards.
        let statement = client.prepare_cached(sql).await?;
        messages.push(Message::Prepared(statement, params));
    }
    Ok(messages)
}

/// Sends all messages without waiting in between, and reads the answers in their order up to the first error: after that
/// the server refuses whatever else was sent.
async fn send(client: &ClientWrapper, messages: &[Message<'_>]) -> Result<Vec<Rows>, Error> {
    let answers = messages.iter().map(|message| {
        maybe_done(Box::pin(async move {
            match message {
                Message::Prepared(statement, params) => client.query(statement, params).await,
                Message::Plain(sql) => client.batch_execute(sql).await.map(|()| Rows::new()),
            }
        }))
    });
    let mut answers: Vec<_> = answers.collect();
    // Each message is sent when its answer is polled first. After one that cannot be sent no more are sent.
    for answer in &mut answers {
        let _ = answer.now_or_never();
        if matches!(answer, MaybeDone::Done(Err(_))) {
            break;
        }
    }
    let mut rows = Vec::with_capacity(answers.len());
    for mut answer in answers {
        (&mut answer).await;
        if let Some(found) = Pin::new(&mut answer).take_output() {
            rows.push(found?);
        }
    }
    Ok(rows)
}
