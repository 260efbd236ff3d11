//! The versions of the schema.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::{StoreError, tx_error::TxError};

/// What leads from each version to the next. One that was released is never changed.
const MIGRATIONS: [&str; 1] = [include_str!("schema_1.sql")];

/// Whose file it is, in its header: "Prvh".
const APPLICATION_ID: i64 = 0x5072_7668;

/// Whether the file at `path` is empty. Fails, before anything in it is changed, if it is newer than this program, or
/// another program's. It needs a transaction: what it reads has to be of one moment.
pub(super) fn check(transaction: &Transaction<'_>, path: &Path) -> Result<bool, TxError> {
    let number = |name| transaction.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (found, known) = (number("user_version")?, known_version());
    let is_ours = match number("application_id")? {
        APPLICATION_ID => true,
        // The first files had a version only.
        0 => (1..=known).contains(&found) && transaction.table_exists(None, "last_lease")?,
        _ => false,
    };
    match is_ours {
        true if found > known => Err(StoreError::newer_schema(found, known).into()),
        true => Ok(false),
        false if number("schema_version")? == 0 && found == 0 => Ok(true),
        false => Err(StoreError::not_a_store(
            path.to_string_lossy(),
            "it is a database of another program",
        )
        .into()),
    }
}

fn known_version() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Brings the database at `path` to the newest version.
pub(super) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), TxError> {
    // Several processes may open the file at once: the first to get the lock migrates it.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    check(&transaction, path)?;
    let found = transaction.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))?;
    let applied = usize::try_from(found).unwrap_or_default();
    for migration in MIGRATIONS.iter().skip(applied) {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", known_version())?;
    transaction.commit()?;
    Ok(())
}
