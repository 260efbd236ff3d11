//! What every store promises, checked over each.
//!
//! Time is a clock that the tests set, or tokio's paused one: but for the tests of processes, servers and locked files,
//! which take real time.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod actions;
mod agents;
mod answers;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod child;
mod commands;
mod commits;
#[allow(dead_code, reason = "it is of other tests too")]
#[path = "../../../pravah-runtime/src/document/tests/random/dice.rs"]
mod dice;
mod documents;
#[cfg(all(feature = "encryption", feature = "sqlite"))]
mod encryption;
mod events;
#[cfg(feature = "postgres")]
mod failing_writes;
mod faults;
mod flows;
#[cfg(all(feature = "sqlite", unix))]
mod full_disk;
mod generated_versions;
#[cfg(feature = "postgres")]
mod held_messages;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod killed_workers;
mod leases;
mod logs;
mod model;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod named_store;
#[cfg(feature = "postgres")]
mod outage;
#[cfg(feature = "postgres")]
mod paused_workers;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "postgres")]
mod postgres_tls;
mod pure;
mod queries;
#[cfg(feature = "postgres")]
mod races;
mod remote;
mod retention;
#[cfg(feature = "postgres")]
mod server;
mod set_up;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlite")]
mod sqlite_locked;
mod stranded;
mod support;
#[cfg(feature = "postgres")]
mod unhurried;
mod versions;
#[cfg(feature = "postgres")]
mod wire;
mod workers;

/// Writes each test once for every store.
macro_rules! over_every_store {
    ($($test:ident,)+) => {
        mod memory {
            $(#[tokio::test(start_paused = true)]
            async fn $test() {
                super::$test(crate::support::TestStore::memory()).await;
            })+
        }

        #[cfg(feature = "sqlite")]
        mod sqlite {
            $(#[tokio::test(start_paused = true)]
            async fn $test() {
                super::$test(crate::support::TestStore::sqlite()).await;
            })+
        }

        #[cfg(all(feature = "encryption", feature = "sqlite"))]
        mod encrypted {
            $(#[tokio::test(start_paused = true)]
            async fn $test() {
                super::$test(crate::support::TestStore::encrypted()).await;
            })+
        }

        #[cfg(feature = "postgres")]
        mod postgres {
            $(#[tokio::test(start_paused = true)]
            async fn $test() {
                super::$test(crate::support::TestStore::postgres()).await;
            })+
        }
    };
}
use over_every_store;
