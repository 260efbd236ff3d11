//! Opening a store, and what it says with what to do about it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use pravah_store::{RunStore, Runs, SqliteOptions, StoreError, is_encrypted};

use super::values;
use crate::failure::{Failure, with_causes};

/// Where runs are unless `--store` says so.
pub(super) const DEFAULT_FILE: &str = "runs.db";

/// Where a PostgreSQL database has them unless `--schema` says so.
pub(super) const DEFAULT_SCHEMA: &str = "pravah";

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

    /// What to type so as to do this in the same place.
    pub(super) fn command(&self, words: &[&str]) -> String {
        let mut command = String::from("pravah runs");
        if self.store != Path::new(DEFAULT_FILE) {
            command.push_str(&option("store", &self.shown));
        }
        if self.schema != DEFAULT_SCHEMA {
            command.push_str(&option("schema", &self.schema));
        }
        if let Some(tenant) = &self.tenant {
            command.push_str(&option("tenant", tenant));
        }
        for word in words {
            command.push(' ');
            command.push_str(&values::argument(word));
        }
        command
    }

    /// The same for a run, whose id may look like an option.
    pub(super) fn command_of_run(&self, name: &str, run: &str, words: &[&str]) -> String {
        let run = [run];
        let arguments = run.iter().chain(words);
        let has_option = arguments.clone().any(|word| word.starts_with('-'));
        let separator = has_option.then_some(&"--");
        let words = [name];
        let words = words.iter().chain(separator).chain(arguments);
        self.command(&words.copied().collect::<Vec<_>>())
    }

    /// Refuses to send a command to a run that is encrypted: without its key it could not be read.
    pub(super) async fn check_not_encrypted(&self, runs: &Runs, run: &str) -> Result<(), Failure> {
        let read = async {
            let step = runs.status(run).await?.step;
            runs.entries_at(run, step).await
        };
        let entries = read.await.map_err(|error| self.failed(error))?;
        match is_encrypted(&entries) {
            false => Ok(()),
            true => Err(Failure::Message(format!(
                "the run `{run}` is encrypted, and `pravah` has no keys: use a program that has them"
            ))),
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
            StoreError::NotOpened { .. } => with_causes(error),
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
            StoreError::NotAsked {
                run,
                question,
                open,
                ..
            } => {
                let open: Vec<_> = open.iter().map(|id| format!("`{id}`")).collect();
                let open = match &*open.join(", ") {
                    "" => "no question is open".to_owned(),
                    open => format!("open: {open}"),
                };
                format!(
                    "the run `{run}` asks no question `{question}` ({open}): with `--early` the answer waits until it is asked"
                )
            }
            StoreError::NoSuchStep { run, .. } => {
                let history = self.command_of_run("history", run, &[]);
                format!("{error}: `{history}` lists those that it has")
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
                "the tenant `{tenant}` has no run `{run}` in `{file}`: `{}` lists those that it has",
                self.command(&["list"])
            ),
            None => format!(
                "there is no run `{run}` in `{file}` that belongs to no tenant: `{}` lists all, and `--tenant` says whose is \
                 meant",
                self.command(&["list", "--every-tenant"])
            ),
        }
    }
}

/// An option with its value, as a part of a command.
fn option(name: &str, value: &str) -> String {
    // A value that starts with `-` would be another option.
    let separator = if value.starts_with('-') { '=' } else { ' ' };
    format!(" --{name}{separator}{}", values::argument(value))
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

    fn asked(file: &str, tenant: Option<&str>) -> Asked {
        Asked::of(
            (file.into(), DEFAULT_SCHEMA.into()),
            tenant.map(str::to_owned),
        )
    }

    #[test]
    fn a_command_names_the_file_and_the_tenant() {
        let plain = asked("runs.db", None);
        assert_eq!(plain.command(&["list"]), "pravah runs list");
        let other = asked("my runs.db", Some("o'hara"));
        let expected =
            r"pravah runs --store 'my runs.db' --tenant 'o'\''hara' answer 'a b' ask[0] JSON";
        let expected = expected.replace("ask[0]", "'ask[0]'");
        let command = other.command_of_run("answer", "a b", &["ask[0]", "JSON"]);
        assert_eq!(command, expected);
    }

    #[test]
    fn what_looks_like_an_option_is_none() {
        let odd = asked("-f", Some("--every-tenant"));
        assert_eq!(
            odd.command_of_run("show", "-7", &[]),
            "pravah runs --store=-f --tenant=--every-tenant show -- -7"
        );
    }

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
