//! What is SQLite's own: files, versions of their schema, and processes that write at the same time.

use std::{error::Error as _, pin::Pin, sync::Arc, time::Duration};

use pravah_store::{
    ClaimRequest, Command, Filter, RunStore, SqliteOptions, SqliteStore, Status, StoreError,
};
use rusqlite::Connection;

use crate::support::{key, last_step, new_run};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[tokio::test]
async fn a_file_with_a_newer_schema_is_refused_and_left_alone() {
    let folder = folder();
    let file = folder.path().join("runs.db");
    let store = SqliteStore::open(&file).unwrap();
    store.start(new_run(&key("a"))).await.unwrap();
    drop(store);
    let raw = Connection::open(&file).unwrap();
    raw.pragma_update(None, "user_version", 99).unwrap();
    let refused = SqliteStore::open(&file);
    assert!(matches!(
        refused,
        Err(StoreError::NewerSchema {
            found: 99,
            known: 1,
            ..
        })
    ));
    raw.pragma_update(None, "user_version", 1).unwrap();
    let store = SqliteStore::open(&file).unwrap();
    assert!(store.get(&key("a")).await.is_ok());
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    let folder = folder();
    let file = folder.path().join("runs.db");
    std::fs::write(
        &file,
        "not a database, by far; and long enough to be looked at",
    )
    .unwrap();
    let refused = SqliteStore::open(&file);
    assert!(matches!(refused, Err(StoreError::NotOpened { .. })));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("not a database"));
}

#[test]
fn a_file_that_cannot_be_opened_is_named_with_the_reason() {
    let folder = folder();
    for file in [folder.path().join("no/such/runs.db"), folder.path().into()] {
        let error = SqliteStore::open(&file).unwrap_err();
        let expected = format!("`{}` cannot be opened", file.display());
        assert_eq!(error.to_string(), expected);
        let why = error.source().unwrap().to_string();
        assert!(why.contains("unable to open database file"), "{why}");
    }
}

#[test]
fn what_is_no_store_is_left_alone_where_it_has_to_be_one() {
    let folder = folder();
    let open = |name: &str| {
        SqliteOptions::new()
            .existing()
            .open(folder.path().join(name))
    };
    let is_refused = |name: &str| matches!(open(name), Err(StoreError::NotAStore { .. }));
    assert!(is_refused("runs.db"));
    assert!(!folder.path().join("runs.db").exists());

    std::fs::write(folder.path().join("empty.db"), "").unwrap();
    assert!(is_refused("empty.db"));
    let other = Connection::open(folder.path().join("other.db")).unwrap();
    let tables = "CREATE TABLE bookmark (url TEXT); PRAGMA user_version = 1";
    other.execute_batch(tables).unwrap();
    assert!(is_refused("other.db"));

    SqliteStore::open(folder.path().join("runs.db")).unwrap();
    assert!(open("runs.db").is_ok());
}

#[tokio::test]
async fn what_cannot_be_read_is_an_error_of_that_run_alone() {
    let folder = folder();
    let file = folder.path().join("runs.db");
    let store = SqliteStore::open(&file).unwrap();
    for id in ["a", "b"] {
        store.start(new_run(&key(id))).await.unwrap();
    }
    let raw = Connection::open(&file).unwrap();
    raw.execute("UPDATE entry SET value = '{' WHERE run = 1", [])
        .unwrap();
    raw.execute("UPDATE history SET changes = '{' WHERE run = 1", [])
        .unwrap();
    let broken = store.load(&key("a")).await;
    assert!(matches!(broken, Err(StoreError::Corrupt { .. })));
    assert!(store.entries_at(&key("a"), 0).await.is_err());
    assert!(store.load(&key("b")).await.is_ok());
    raw.execute("UPDATE run SET status = 'asleep' WHERE id = 'a'", [])
        .unwrap();
    assert!(store.get(&key("a")).await.is_err());
    assert!(store.get(&key("b")).await.is_ok());
}

#[test]
fn a_file_may_be_created_by_several_at_once() {
    let folder = folder();
    for round in 0..100 {
        let file = folder.path().join(format!("{round}.db"));
        let open = || SqliteOptions::new().without_sync().open(&file).map(drop);
        std::thread::scope(|scope| {
            let opened: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
            for opened in opened {
                opened.join().unwrap().unwrap();
            }
        });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_open_and_write_one_file_at_once() {
    let folder = folder();
    let file = Arc::new(folder.path().join("runs.db"));
    let writers = (0..8).map(|writer| {
        let file = Arc::clone(&file);
        tokio::spawn(async move {
            let store = SqliteOptions::new().without_sync().open(&*file).unwrap();
            for run in 0..10 {
                let key = key(&format!("{writer}-{run}"));
                store.start(new_run(&key)).await.unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let store = SqliteStore::open(&*file).unwrap();
    let page = store.list(Filter::new().with_limit(1000)).await.unwrap();
    assert_eq!(page.runs.len(), 80);
}

#[cfg(unix)]
#[tokio::test]
async fn nothing_is_written_to_a_file_that_was_deleted_or_replaced() {
    use std::fs;

    let folder = folder();
    let file = folder.path().join("runs.db");
    let [deleted, replaced] = [(); 2].map(|()| SqliteStore::open(&file).unwrap());
    deleted.start(new_run(&key("a"))).await.unwrap();
    let check = async |store: &SqliteStore| {
        let why = "was deleted or replaced while it was open: open it again";
        for error in [
            store.start(new_run(&key("c"))).await.unwrap_err(),
            store.get(&key("a")).await.unwrap_err(),
        ] {
            let source = error.source().unwrap().to_string();
            assert!(source.ends_with(why), "{source}");
        }
    };
    fs::remove_file(&file).unwrap();
    check(&deleted).await;
    let new = SqliteStore::open(&file).unwrap();
    check(&replaced).await;
    new.start(new_run(&key("d"))).await.unwrap();
    assert_eq!(new.list(Filter::new()).await.unwrap().runs.len(), 1);
}

#[tokio::test]
async fn a_dropped_commit_happens_as_a_whole_or_not_at_all() {
    let folder = folder();
    let file = folder.path().join("runs.db");
    let store = SqliteStore::open(&file).unwrap();
    store.start(new_run(&key("a"))).await.unwrap();
    let request = pravah_store::ClaimRequest::new("one", ["flow".to_owned()]);
    let claim = store.claim(request).await.unwrap().remove(0);
    {
        let commit = store.commit(&claim.lease, last_step(Status::Done));
        let mut commit = std::pin::pin!(commit);
        let waker = std::task::Waker::noop();
        let polled = commit
            .as_mut()
            .poll(&mut std::task::Context::from_waker(waker));
        assert!(polled.is_pending());
    }
    // The next write comes after whatever has happened.
    let _ = store.renew(&claim.lease, Duration::ZERO).await;
    let info = store.get(&key("a")).await.unwrap();
    let rows = store.history(&key("a"), 0, usize::MAX).await.unwrap().len();
    assert!(matches!(
        (info.status, rows),
        (Status::Done, 2) | (Status::Ready, 1)
    ));
}

#[tokio::test]
async fn a_run_that_cannot_be_read_keeps_no_other_from_being_claimed_or_listed() {
    let folder = folder();
    let file = folder.path().join("runs.db");
    let store = SqliteStore::open(&file).unwrap();
    for id in ["a", "b", "c"] {
        store.start(new_run(&key(id))).await.unwrap();
    }
    let raw = Connection::open(&file).unwrap();
    let broken = "UPDATE run SET questions = '{' WHERE id = 'a'; UPDATE run SET status = 'asleep' WHERE id = 'b'";
    raw.execute_batch(broken).unwrap();
    let runs = store.list(Filter::new()).await.unwrap().runs;
    let mut errors: Vec<_> = runs
        .iter()
        .map(|run| (run.key.id(), run.error.is_some()))
        .collect();
    errors.sort_unstable();
    assert_eq!(errors, [("a", true), ("b", true), ("c", false)]);

    let request = || ClaimRequest::new("worker", ["flow".to_owned()]).with_limit(10);
    let claims = store.claim(request()).await.unwrap();
    assert_eq!(claims.len(), 1);
    assert_eq!(claims[0].info.key, key("c"));
    // They are not looked at again and again.
    assert!(store.claim(request()).await.unwrap().is_empty());
    let due = "SELECT COUNT(*) FROM run WHERE id <> 'c' AND wake_at IS NOT NULL";
    let due: i64 = raw.query_row(due, [], |row| row.get(0)).unwrap();
    assert_eq!(due, 0);
}

#[test]
fn the_bytes_of_a_newer_file_are_not_changed() {
    let folder = folder();
    let file = folder.path().join("runs.db");
    let raw = Connection::open(&file).unwrap();
    let later = "CREATE TABLE later (n INTEGER); PRAGMA user_version = 7; PRAGMA application_id = 0x50727668";
    raw.execute_batch(later).unwrap();
    drop(raw);
    let before = std::fs::read(&file).unwrap();
    let refused = SqliteStore::open(&file);
    assert!(matches!(refused, Err(StoreError::NewerSchema { .. })));
    assert!(std::fs::read(&file).unwrap() == before);
}

#[test]
fn a_file_may_be_opened_with_any_timeout_and_by_several_at_once() {
    let folder = folder();
    let file = folder.path().join("runs.db");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let options = SqliteOptions::new().with_busy_timeout(Duration::MAX);
                options.open(&file).unwrap();
            });
        }
    });
}

#[test]
fn a_database_of_another_program_is_refused_and_left_alone() {
    let folder = folder();
    for (name, made) in [
        ("tables.db", "CREATE TABLE bookmark (url TEXT)"),
        (
            "versioned.db",
            "CREATE TABLE run (url TEXT); PRAGMA user_version = 1",
        ),
        (
            "newer.db",
            "CREATE TABLE run (url TEXT); PRAGMA user_version = 99",
        ),
        (
            "named.db",
            "CREATE TABLE last_lease (n); PRAGMA application_id = 7; PRAGMA user_version = 1",
        ),
        ("emptied.db", "CREATE TABLE gone (n); DROP TABLE gone"),
        ("reserved.db", "PRAGMA user_version = 1"),
    ] {
        let file = folder.path().join(name);
        Connection::open(&file)
            .unwrap()
            .execute_batch(made)
            .unwrap();
        let before = std::fs::read(&file).unwrap();
        let refused = SqliteStore::open(&file).unwrap_err();
        let expected = format!(
            "`{}` is not a store of runs: it is a database of another program",
            file.display()
        );
        assert_eq!(refused.to_string(), expected);
        assert!(matches!(&refused, StoreError::NotAStore { .. }));
        assert!(std::fs::read(&file).unwrap() == before, "{name}");
    }
}

#[test]
fn the_url_of_a_database_is_no_path_and_its_password_is_not_shown() {
    for (url, location, hint) in [
        (
            "postgres://me:s@cret@db/runs",
            "postgres://db/runs",
            "`PostgresStore`",
        ),
        (
            "postgresql://db/runs?password=secret",
            "postgresql://db/runs",
            "`PostgresStore`",
        ),
        ("sqlite://runs.db", "sqlite://runs.db", "the path of a file"),
    ] {
        for options in [SqliteOptions::new(), SqliteOptions::new().existing()] {
            let refused = options.open(url).unwrap_err();
            let text = format!("{refused} {refused:?}");
            let expected = format!("`{location}` is not a store of runs: it is ");
            assert!(text.starts_with(&expected) && text.contains(hint), "{text}");
            assert!(!text.contains("cret"), "{text}");
        }
    }
}

#[test]
fn an_error_names_the_file_once() {
    let folder = folder();
    let file = folder.path().join("missing").join("runs.db");
    let refused = SqliteStore::open(&file).unwrap_err();
    assert!(matches!(refused, StoreError::NotOpened { .. }));
    for text in [
        pravah_store::host::with_sources(&refused),
        format!("{refused:?}"),
    ] {
        assert_eq!(text.matches("missing").count(), 1, "{text}");
    }
}

#[tokio::test]
async fn a_file_of_the_first_version_gets_its_application_id() {
    let folder = folder();
    let file = folder.path().join("runs.db");
    let store = SqliteStore::open(&file).unwrap();
    store.start(new_run(&key("a"))).await.unwrap();
    let raw = Connection::open(&file).unwrap();
    let id = || -> i64 {
        raw.pragma_query_value(None, "application_id", |row| row.get(0))
            .unwrap()
    };
    assert_eq!(id(), 0x5072_7668);
    raw.pragma_update(None, "application_id", 0).unwrap();
    let again = SqliteStore::open(&file).unwrap();
    assert!(again.get(&key("a")).await.is_ok());
    assert_eq!(id(), 0x5072_7668);
}

/// Starts a future, which goes no further than to where it first waits.
fn start_polling<F: Future + Unpin>(future: &mut F) {
    let waker = std::task::Waker::noop();
    let polled = Pin::new(future).poll(&mut std::task::Context::from_waker(waker));
    assert!(polled.is_pending());
}

#[tokio::test]
async fn what_is_read_does_not_wait_for_what_is_written() {
    let folder = folder();
    let file = folder.path().join("runs.db");
    let store = SqliteStore::open(&file).unwrap();
    store.start(new_run(&key("a"))).await.unwrap();
    let other = Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let of = key("a");
    let mut waiting = store.push(&of, Command::Pause);
    start_polling(&mut waiting);
    let loaded = store.load(&key("a")).await.unwrap();
    assert!(loaded.inbox.is_empty());
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(waiting.await.unwrap(), 1);
    // What was written is read from now on.
    assert_eq!(store.load(&key("a")).await.unwrap().inbox.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_future_that_nobody_polls_keeps_no_other_from_the_store() {
    let folder = folder();
    let store = SqliteStore::open(folder.path().join("runs.db")).unwrap();
    let request = || ClaimRequest::new("worker", ["flow".to_owned()]);
    let (mut first, mut second) = (store.claim(request()), store.claim(request()));
    start_polling(&mut first);
    start_polling(&mut second);
    let third = async {
        first.await.unwrap();
        store.claim(request()).await.unwrap();
    };
    let done = tokio::time::timeout(Duration::from_secs(60), third).await;
    assert!(
        done.is_ok(),
        "the second one has the turn, and does not take it"
    );
    second.await.unwrap();
}
