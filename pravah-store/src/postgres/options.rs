//! How a database is opened.

use std::sync::Arc;

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod};
use tokio_postgres::{
    Config, NoTls, Socket,
    tls::{MakeTlsConnect, TlsConnect},
};

use super::{
    Inner, PostgresStore,
    clock::DatabaseClock,
    connect::Connector,
    listener::{Channels, Listener, Listening, Topic},
    schema,
};
use crate::{StoreError, time::SharedClock, tx_error::TxError};

/// How long the name of a schema may be, in bytes: PostgreSQL cuts names after 63, and channels are called after it.
const LONGEST_SCHEMA: usize = 48;

/// How a [`PostgresStore`] is opened.
///
/// ```no_run
/// use pravah_store::PostgresOptions;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), pravah_store::StoreError> {
/// let options = PostgresOptions::new().with_schema("staging").with_max_connections(32);
/// let store = options.connect("postgres://me:secret@db.example/runs").await?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    schema: String,
    max_connections: usize,
    must_exist: bool,
}

impl PostgresOptions {
    /// As [`PostgresStore::connect`] opens.
    pub fn new() -> Self {
        Self {
            schema: "pravah".to_owned(),
            max_connections: 10,
            must_exist: false,
        }
    }

    /// The schema in which all tables are: `pravah` unless set. Each schema is a store of its own.
    #[must_use]
    pub fn with_schema(mut self, name: impl Into<String>) -> Self {
        self.schema = name.into();
        self
    }

    /// How many connections the store and its clones make at most, beside one that listens: 10 unless set, and at least 1.
    /// What needs another one waits.
    #[must_use]
    pub fn with_max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections.max(1);
        self
    }

    /// Opens only a schema that is a store already, and creates none: for tools, to which a mistyped name is an error.
    #[must_use]
    pub fn existing(mut self) -> Self {
        self.must_exist = true;
        self
    }

    /// Opens a database; see [`PostgresStore::connect`].
    ///
    /// # Errors
    ///
    /// Those of [`PostgresStore::connect`]; [`StoreError::NotAStore`] where it has to be one; [`StoreError::InvalidName`]
    /// if the name of the schema is empty, longer than 48 bytes, starts with `pg_`, or has a control character.
    pub async fn connect(self, url: &str) -> Result<PostgresStore, StoreError> {
        self.connect_with_tls(url, NoTls).await
    }

    /// The same with a connector for encrypted connections, such as those of the crates `tokio-postgres-rustls` and
    /// `postgres-native-tls`.
    ///
    /// # Errors
    ///
    /// Those of [`connect`](Self::connect).
    pub async fn connect_with_tls<T>(self, url: &str, tls: T) -> Result<PostgresStore, StoreError>
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send,
        T::TlsConnect: Send,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        check_schema(&self.schema)?;
        let config: Result<Config, _> = url.parse();
        let config = config.map_err(|error| StoreError::database("connect", error))?;
        let connector = Connector::new(config, &self.schema, tls);
        let opened = self.open(connector).await;
        opened.map_err(|error| error.while_doing("connect"))
    }

    async fn open(self, connector: Connector) -> Result<PostgresStore, TxError> {
        let channels = Arc::new(Channels::new(&self.schema));
        let mut listening = Listening::connect(&connector, &channels).await?;
        let client = &mut listening.client;
        schema::check_encoding(client, &self.schema).await?;
        schema::migrate(client, &self.schema, self.must_exist).await?;
        let clock = DatabaseClock::default();
        clock.set_from(client).await?;
        listening.listen(&channels, Topic::Run).await?;
        let pool = self.pool(&connector)?;
        let listener = Listener::start(connector, Arc::clone(&channels), clock.clone(), listening);
        Ok(PostgresStore {
            inner: Arc::new(Inner {
                pool,
                channels,
                _listener: listener,
            }),
            clock: SharedClock(Arc::new(clock)),
            is_clock_set: false,
        })
    }

    fn pool(&self, connector: &Connector) -> Result<Pool, TxError> {
        let config = ManagerConfig {
            // Connections that have ended are known; whether the others work a statement finds out.
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = Manager::from_connect(connector.config(), connector.clone(), config);
        let pool = Pool::builder(manager).max_size(self.max_connections);
        pool.build()
            .map_err(|error| TxError::Database(error.into()))
    }
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self::new()
    }
}

fn check_schema(name: &str) -> Result<(), StoreError> {
    let why = match name {
        "" => "must not be empty",
        _ if name.len() > LONGEST_SCHEMA => "must not be longer than 48 bytes",
        _ if name.contains(char::is_control) => "must not contain control characters",
        _ if name.starts_with("pg_") => "must not start with `pg_`",
        _ => return Ok(()),
    };
    let what = "the name of a schema";
    Err(StoreError::InvalidName { what, why })
}
