//! The versions of the schema.

use rusqlite::{Connection, TransactionBehavior};

use crate::{StoreError, failure::Failure};

/// What leads from each version to the next. One that was released is never changed.
const MIGRATIONS: [&str; 1] = [include_str!("schema_1.sql")];

/// The version of a database; 0 where none of these has led to it.
fn version(connection: &Connection) -> Result<i64, Failure> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Whether a database has runs, and not what another program keeps.
pub(super) fn is_store(connection: &Connection) -> Result<bool, Failure> {
    Ok(version(connection)? > 0 && connection.table_exists(None, "run")?)
}

/// Fails if a database is newer than this program, before anything in it is changed.
pub(super) fn check_version(connection: &Connection) -> Result<(), Failure> {
    let (found, known) = (version(connection)?, known_version());
    match found > known {
        true => Err(StoreError::newer_schema(found, known).into()),
        false => Ok(()),
    }
}

fn known_version() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Brings a database to the newest version, and refuses one that is newer.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), Failure> {
    let known = known_version();
    // Several processes may open the file at once: the first to get the lock migrates it.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    check_version(&transaction)?;
    let found = version(&transaction)?;
    let applied = usize::try_from(found).unwrap_or_default();
    for migration in MIGRATIONS.iter().skip(applied) {
        transaction.execute_batch(migration)?;
    }
    if found < known {
        transaction.pragma_update(None, "user_version", known)?;
    }
    transaction.commit()?;
    Ok(())
}
