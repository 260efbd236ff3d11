//! What can go wrong within a transaction.

use crate::StoreError;

/// An error before anybody has said what the database was to do.
pub(super) enum Failure {
    Sql(rusqlite::Error),
    Store(StoreError),
}

impl Failure {
    pub(super) fn while_doing(self, action: &'static str) -> StoreError {
        match self {
            Self::Sql(error) => StoreError::database(action, error),
            Self::Store(error) => error,
        }
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
