//! Opening a store, and what it says with what to do about it.

use std::{path::PathBuf, sync::Arc};

use pravah_store::{RunStore, Runs, SqliteOptions, StoreError};

use crate::failure::{Failure, with_causes};

/// What the runs were asked for in.
pub(super) struct Asked {
    store: PathBuf,
    /// Where the store is, without a password.
    shown: String,
    schema: String,
    tenant: Option<String>,
}

impl Asked {
    pub(super) fn of((store, schema): (PathBuf, String), tenant: Option<String>) -> Self {
        let shown = match url(&store) {
            Some(url) => without_password(url),
            None => store.display().to_string(),
        };
        Self {
            store,
            shown,
            schema,
            tenant,
        }
    }

    /// The runs that are meant.
    pub(super) async fn open(&self) -> Result<Runs, Failure> {
        let store: Arc<dyn RunStore> = match url(&self.store) {
            Some(url) => self.connect(url).await?,
            None => {
                let store = SqliteOptions::new().existing().open(&self.store);
                Arc::new(store.map_err(|error| self.not_opened(&error))?)
            }
        };
        let runs = Runs::new(store);
        match &self.tenant {
            Some(tenant) => runs.of_tenant(tenant).map_err(|error| self.failed(error)),
            None => Ok(runs),
        }
    }

    #[cfg(feature = "postgres")]
    async fn connect(&self, url: &str) -> Result<Arc<dyn RunStore>, Failure> {
        let options = pravah_store::PostgresOptions::new().with_max_connections(1);
        let options = options.with_schema(&self.schema).existing();
        let store = options.connect(url).await;
        Ok(Arc::new(store.map_err(|error| self.not_opened(&error))?))
    }

    #[cfg(not(feature = "postgres"))]
    async fn connect(&self, _: &str) -> Result<Arc<dyn RunStore>, Failure> {
        let shown = &self.shown;
        Err(Failure::Message(format!(
            "`{shown}` cannot be opened: this `pravah` was built without PostgreSQL, which is its feature `postgres`"
        )))
    }

    /// Why the store could not be opened.
    fn not_opened(&self, error: &StoreError) -> Failure {
        let shown = &self.shown;
        Failure::Message(match error {
            StoreError::NotAStore { why, .. } if url(&self.store).is_some() => format!(
                "`{shown}` has no store of runs in the schema `{}`, {why}: name the one that your workers use with \
                 `--schema NAME`",
                self.schema
            ),
            StoreError::NotAStore { why, .. } => format!(
                "`{shown}` is not a store of runs, {why}: name the one that your workers use with `--store FILE`"
            ),
            StoreError::NewerSchema { .. } => {
                format!("`{shown}` cannot be read: {error}; a newer `pravah` can")
            }
            error => format!("`{shown}` cannot be opened: {}", with_causes(error)),
        })
    }

    /// Why something could not be done.
    pub(super) fn failed(&self, error: StoreError) -> Failure {
        Failure::Message(match &error {
            StoreError::NotFound { run, .. } => self.not_found(run),
            StoreError::WrongStatus { run, status, .. } => {
                format!("the run `{run}` is {status}, and takes no more commands")
            }
            StoreError::NoSuchStep { run, .. } => {
                format!("{error}: `pravah runs history {run}` lists those that it has")
            }
            StoreError::InboxFull { .. } => {
                format!("{error}: is a worker that serves its flow at work?")
            }
            error => with_causes(error),
        })
    }

    /// Why a run could not be tried again.
    pub(super) fn not_retried(&self, error: StoreError) -> Failure {
        match &error {
            StoreError::WrongStatus { run, status, .. } => Failure::Message(format!(
                "the run `{run}` is {status}: only one that has failed can be tried again"
            )),
            _ => self.failed(error),
        }
    }

    fn not_found(&self, run: &str) -> String {
        let file = &self.shown;
        match &self.tenant {
            Some(tenant) => format!(
                "the tenant `{tenant}` has no run `{run}` in `{file}`: `pravah runs list --tenant {tenant}` lists those that it has"
            ),
            None => format!(
                "there is no run `{run}` in `{file}` that belongs to no tenant: `pravah runs list --every-tenant` lists all, \
                 and `--tenant` says whose is meant"
            ),
        }
    }
}

/// The store as the URL of a PostgreSQL database, if it is one.
fn url(store: &std::path::Path) -> Option<&str> {
    let store = store.to_str()?;
    let is_url = store.starts_with("postgres://") || store.starts_with("postgresql://");
    is_url.then_some(store)
}

/// A URL as messages may show it: without who connects, and without parameters, of which one may be a password.
fn without_password(url: &str) -> String {
    let url = url.split('?').next().unwrap_or_default();
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, place))) => format!("{scheme}://{place}"),
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_shown() {
        for (url, shown) in [
            (
                "postgres://me:s@cret@db:5432/runs",
                "postgres://db:5432/runs",
            ),
            (
                "postgresql://db/runs?password=secret",
                "postgresql://db/runs",
            ),
            ("postgres://db/runs", "postgres://db/runs"),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }
}
