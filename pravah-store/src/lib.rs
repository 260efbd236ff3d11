//! Runs that outlive processes and deploys.
//!
//! A [`RunStore`] keeps runs of flows in a database, a [`Worker`] executes their steps and commits each one, and [`Runs`]
//! is the handle with which everybody else starts them, answers their questions and reads their results. A run resumes in
//! another worker where a process has ended, from its last commit.
//! [A page](https://github.com/pravah-rs/pravah/blob/main/docs/stores.md) says what is guaranteed, and what is not.
//!
//! # Features
//!
//! - `sqlite` (on by default): `SqliteStore`, which keeps runs in one file.
//! - `encryption`: `KeyRing`, a cipher for [`EncryptedStore`].
//! - `postgres`: `PostgresStore`, which keeps runs in a PostgreSQL database, for any number of machines.

// What tests of both kinds have in common calls the crate by its name.
#[cfg(all(test, feature = "postgres"))]
extern crate self as pravah_store;

#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod columns;
mod command;
mod encryption;
mod entries;
mod error;
mod json;
mod key;
mod lease;
mod memory;
mod notify;
#[cfg(feature = "postgres")]
mod postgres;
mod query;
mod run;
mod runs;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
mod time;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod tx_error;
mod worker;

pub use command::{Command, InboxRow, Refusal};
#[cfg(feature = "encryption")]
pub use encryption::KeyRing;
pub use encryption::{Cipher, DecryptionError, EncryptedStore, is_encrypted, is_encrypted_text};
pub use error::StoreError;
pub use key::RunKey;
pub use lease::{Claim, ClaimRequest, Commit, Lease, Release};
pub use memory::MemoryStore;
pub use notify::{Notifications, Notifier};
#[cfg(feature = "postgres")]
pub use postgres::{PostgresOptions, PostgresStore};
pub use query::{Cursor, Filter, Page, Retention, TenantFilter};
pub use run::{HistoryRow, LoadedRun, NewRun, Question, RunInfo, Status, StepNode};
pub use runs::{RunEvents, Runs, StartOutcome, StartRun};
#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteOptions, SqliteStore};
pub use store::{RunStore, StoreFuture};
pub use worker::{Worker, host};

#[cfg(all(doctest, feature = "sqlite"))]
#[doc = include_str!("../../docs/stores.md")]
struct StoresPage;

// Its blocks about stores are compiled here alone.
#[cfg(all(doctest, feature = "sqlite"))]
#[doc = include_str!("../../docs/documents.md")]
struct DocumentsPage;
