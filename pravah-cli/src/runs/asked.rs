//! Opening a store, and what it says with what to do about it.

use std::path::PathBuf;

use pravah_store::{Runs, SqliteOptions, StoreError};

use crate::failure::{Failure, with_causes};

/// What the runs were asked for in.
pub(super) struct Asked {
    file: PathBuf,
    tenant: Option<String>,
}

impl Asked {
    pub(super) fn of(file: PathBuf, tenant: Option<String>) -> Self {
        Self { file, tenant }
    }

    /// The runs that are meant.
    pub(super) fn open(&self) -> Result<Runs, Failure> {
        let store = SqliteOptions::new().existing().open(&self.file);
        let runs = Runs::new(store.map_err(|error| self.not_opened(&error))?);
        match &self.tenant {
            Some(tenant) => runs.of_tenant(tenant).map_err(|error| self.failed(error)),
            None => Ok(runs),
        }
    }

    /// Why the file could not be opened.
    fn not_opened(&self, error: &StoreError) -> Failure {
        let file = self.file.display();
        Failure::Message(match error {
            StoreError::NotAStore { why, .. } => format!(
                "`{file}` is not a store of runs, {why}: name the one that your workers use with `--store FILE`"
            ),
            StoreError::NewerSchema { .. } => {
                format!("`{file}` cannot be read: {error}; a newer `pravah` can")
            }
            error => format!("`{file}` cannot be opened: {}", with_causes(error)),
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
        let file = self.file.display();
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
