//! The versions of the schema.

use tokio_postgres::Client;

use super::{connect::quoted, statements};
use crate::{StoreError, tx_error::TxError};

/// What leads from each version to the next. One that was released is never changed.
const MIGRATIONS: [&str; 1] = [include_str!("schema_1.sql")];

/// Fails where the database cannot hold every text.
pub(super) async fn check_encoding(client: &Client, schema: &str) -> Result<(), TxError> {
    let row = client.query_one(statements::ENCODING, &[]).await?;
    match row.try_get::<_, &str>(0)? {
        "UTF8" => Ok(()),
        _ => {
            Err(StoreError::not_a_store(schema, "the encoding of its database is not UTF8").into())
        }
    }
}

/// Brings a schema to the newest version, and refuses one that is newer before anything in it is changed.
pub(super) async fn migrate(
    client: &mut Client,
    schema: &str,
    must_exist: bool,
) -> Result<(), TxError> {
    let known = known_version();
    let found = version(client, schema).await?;
    if must_exist && found == 0 {
        return Err(StoreError::not_a_store(
            schema,
            "the schema is not there, or of another program",
        )
        .into());
    }
    // It takes no lock and no right to create anything.
    if found == known {
        return Ok(());
    }
    let transaction = client.transaction().await?;
    transaction
        .query(statements::LOCK_SCHEMA, &[&schema])
        .await?;
    let client = transaction.client();
    let found = version(client, schema).await?;
    if found == 0 {
        create(client, schema).await?;
    }
    let applied = usize::try_from(found).unwrap_or_default();
    for migration in MIGRATIONS.iter().skip(applied) {
        client.batch_execute(migration).await?;
    }
    client.execute(statements::SET_VERSION, &[&known]).await?;
    Ok(transaction.commit().await?)
}

fn known_version() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// The version of a schema; 0 where none of these has led to it.
async fn version(client: &Client, schema: &str) -> Result<i64, TxError> {
    let row = client
        .query_one(statements::HAS_VERSION, &[&schema])
        .await?;
    if !row.try_get::<_, bool>(0)? {
        return Ok(0);
    }
    let found = client
        .query_one(statements::VERSION, &[])
        .await?
        .try_get(0)?;
    let known = known_version();
    if found > known {
        return Err(StoreError::newer_schema(found, known).into());
    }
    Ok(found)
}

async fn create(client: &Client, schema: &str) -> Result<(), TxError> {
    // A user without the right to create schemas may have been given one.
    let row = client.query_one(statements::HAS_SCHEMA, &[&schema]).await?;
    if !row.try_get::<_, bool>(0)? {
        let create = format!("CREATE SCHEMA {}", quoted(schema));
        client.batch_execute(&create).await?;
    }
    Ok(client.batch_execute(statements::CREATE_VERSION).await?)
}
