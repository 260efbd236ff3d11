//! How a file is opened.

use std::{
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use pravah_runtime::BoxError;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use tokio::sync::Mutex;

use super::{SqliteStore, clock::WallClock, file::OpenFile, schema};
use crate::{Notifier, StoreError, time::SharedClock, tx_error::TxError};

/// SQLite counts milliseconds in 31 bits.
const LONGEST_BUSY_TIMEOUT: Duration = Duration::from_millis(i32::MAX as u64);

/// How a [`SqliteStore`] is opened.
///
/// ```
/// use std::time::Duration;
/// use pravah_store::SqliteOptions;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let file = folder.path().join("runs.db");
/// let store = SqliteOptions::new().with_busy_timeout(Duration::from_secs(30)).open(&file)?;
/// # Ok::<(), pravah_store::StoreError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SqliteOptions {
    busy_timeout: Duration,
    is_durable: bool,
    must_exist: bool,
}

impl SqliteOptions {
    /// As [`SqliteStore::open`] opens.
    pub fn new() -> Self {
        Self {
            busy_timeout: Duration::from_secs(10),
            is_durable: true,
            must_exist: false,
        }
    }

    /// How long to wait for another process that writes: 10 seconds unless set.
    #[must_use]
    pub fn with_busy_timeout(mut self, timeout: Duration) -> Self {
        self.busy_timeout = timeout;
        self
    }

    /// Writes without waiting for the disk (`synchronous = NORMAL`): if the machine loses its power, the last commits
    /// may be lost, and their steps are executed again. A process that ends loses nothing, and the file stays whole.
    #[must_use]
    pub fn without_sync(mut self) -> Self {
        self.is_durable = false;
        self
    }

    /// Opens only a file that is a store already, and changes no other: for tools, to which a mistyped name is an error.
    #[must_use]
    pub fn existing(mut self) -> Self {
        self.must_exist = true;
        self
    }

    /// Opens a file; see [`SqliteStore::open`].
    ///
    /// # Errors
    ///
    /// Those of [`SqliteStore::open`]; [`StoreError::NotAStore`] where it has to be one.
    pub fn open(self, path: impl AsRef<Path>) -> Result<SqliteStore, StoreError> {
        let path = path.as_ref();
        check_no_url(path)?;
        if self.must_exist && !path.is_file() {
            return Err(StoreError::not_a_store(
                path.to_string_lossy(),
                "there is no such file",
            ));
        }
        let connections = self.connect(path);
        let (writer, reader, file) = connections.map_err(|error| match error {
            TxError::Database(error) => StoreError::not_opened(path, without_path(error, path)),
            TxError::Store(error) => error,
        })?;
        let writer = Arc::new(Mutex::new(writer));
        Ok(SqliteStore {
            reader: reader.map_or_else(
                || Arc::clone(&writer),
                |reader| Arc::new(Mutex::new(reader)),
            ),
            writer,
            file: Arc::new(file),
            is_durable: self.is_durable,
            clock: SharedClock(Arc::new(WallClock)),
            notifier: Notifier::new(),
            commit_notifier: Notifier::new(),
        })
    }

    /// A connection that writes, one that only reads, if it can have the same database, and the file of both.
    fn connect(self, path: &Path) -> Result<(Connection, Option<Connection>, OpenFile), TxError> {
        let mut writer = Connection::open(path)?;
        let file = OpenFile::of(&writer).map_err(|error| TxError::Database(error.into()))?;
        self.set_up(&writer)?;
        // In a transaction: another process may create the schema while this one looks.
        let is_new = schema::check(&writer.transaction()?, path)?;
        if self.must_exist && is_new {
            return Err(StoreError::not_a_store(path.to_string_lossy(), "it is empty").into());
        }
        self.use_wal(&writer)?;
        writer.pragma_update(None, "foreign_keys", true)?;
        let synchronous = if self.is_durable { "FULL" } else { "NORMAL" };
        writer.pragma_update(None, "synchronous", synchronous)?;
        schema::migrate(&mut writer, path)?;
        if writer.path().is_none_or(str::is_empty) {
            // It is in memory: another connection would have another one.
            return Ok((writer, None, file));
        }
        let flags = OpenFlags::default() - OpenFlags::SQLITE_OPEN_CREATE;
        let reader = Connection::open_with_flags(path, flags)?;
        self.set_up(&reader)?;
        reader.pragma_update(None, "query_only", true)?;
        file.check()?;
        Ok((writer, Some(reader), file))
    }

    fn set_up(self, connection: &Connection) -> Result<(), TxError> {
        connection.busy_timeout(self.busy_timeout.min(LONGEST_BUSY_TIMEOUT))?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(())
    }
}

impl SqliteOptions {
    /// Switches the file to a write-ahead log. SQLite does not wait for others while it does: whoever is first has done it
    /// for all.
    fn use_wal(self, connection: &Connection) -> Result<(), TxError> {
        let started = Instant::now();
        loop {
            match connection.pragma_update(None, "journal_mode", "WAL") {
                Err(error)
                    if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                        && started.elapsed() < self.busy_timeout =>
                {
                    thread::sleep(Duration::from_millis(5));
                }
                switched => return Ok(switched?),
            }
        }
    }
}

/// Refuses the URL of a database, which SQLite would take for the name of a file.
fn check_no_url(path: &Path) -> Result<(), StoreError> {
    let Some((scheme, rest)) = path.to_str().and_then(|path| path.split_once("://")) else {
        return Ok(());
    };
    let why = match scheme {
        "postgres" | "postgresql" => {
            "it is the URL of a PostgreSQL database, to which `PostgresStore` of the feature `postgres` connects"
        }
        "sqlite" => "it is a URL, and `SqliteStore` opens the path of a file",
        _ => return Ok(()),
    };
    // A URL may have a password: before the `@`, or among the parameters.
    let place = rest.split('?').next().unwrap_or_default();
    let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
    Err(StoreError::not_a_store(format!("{scheme}://{place}"), why))
}

/// What SQLite said, without the path, which the error names.
fn without_path(error: BoxError, path: &Path) -> BoxError {
    match error.downcast::<rusqlite::Error>().map(|error| *error) {
        Ok(rusqlite::Error::SqliteFailure(code, Some(message))) => {
            let message = message.replace(&format!(": {}", path.display()), "");
            format!("{message} (SQLite error {})", code.extended_code).into()
        }
        Ok(error) => error.into(),
        Err(error) => error,
    }
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self::new()
    }
}
