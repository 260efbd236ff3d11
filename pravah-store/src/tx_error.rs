//! What can go wrong within a transaction.

use pravah_runtime::BoxError;

use crate::StoreError;

/// An error that does not say yet what the database was to do.
pub(crate) enum TxError {
    Database(BoxError),
    Store(StoreError),
}

impl TxError {
    pub(crate) fn while_doing(self, action: &'static str) -> StoreError {
        match self {
            Self::Database(error) => StoreError::database(action, error),
            Self::Store(error) => error,
        }
    }
}

impl From<StoreError> for TxError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

#[cfg(feature = "sqlite")]
impl From<rusqlite::Error> for TxError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error.into())
    }
}

#[cfg(feature = "postgres")]
impl From<tokio_postgres::Error> for TxError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error.into())
    }
}

#[cfg(feature = "postgres")]
impl From<deadpool_postgres::PoolError> for TxError {
    fn from(error: deadpool_postgres::PoolError) -> Self {
        Self::Database(error.into())
    }
}
