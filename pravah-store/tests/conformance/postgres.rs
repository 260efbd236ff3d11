//! What is PostgreSQL's own: schemas and their versions, characters that it does not know, and notifications.

use std::time::{Duration, SystemTime};

use pravah_store::{
    ClaimRequest, Command, Filter, NewRun, Notifications, PostgresOptions, PostgresStore, Release,
    RunKey, RunStore, Runs, Status, StoreError,
};
use tokio_postgres::Client;

use crate::{
    flows::{Effects, Order, Working, until, worker},
    server::{Server, new_schema, url},
    support::{changes, key, last_step, new_run, step},
    wire::proxy,
};

/// An empty store, its schema, and a connection that is set to that.
pub(crate) async fn open() -> (PostgresStore, String, Client) {
    let schema = new_schema();
    let (store, raw) = (Server::shared().open(&schema), Server::shared().client());
    let search_path = format!("SET search_path TO \"{schema}\"");
    raw.batch_execute(&search_path).await.unwrap();
    (store, schema, raw)
}

async fn open_again(schema: &str) -> Result<PostgresStore, StoreError> {
    let options = PostgresOptions::new().with_schema(schema);
    options.connect(&Server::shared().url()).await
}

fn request(owner: &str) -> ClaimRequest {
    ClaimRequest::new(owner, ["flow".to_owned()]).with_limit(10)
}

// --- Schemas.

#[tokio::test]
async fn a_newer_schema_is_refused_and_left_alone() {
    let (store, schema, raw) = open().await;
    store.start(new_run(&key("a"))).await.unwrap();
    raw.batch_execute("UPDATE schema_version SET number = 99; DROP TABLE inbox")
        .await
        .unwrap();
    let refused = open_again(&schema).await;
    assert!(matches!(
        refused,
        Err(StoreError::NewerSchema {
            found: 99,
            known: 1,
            ..
        })
    ));
    let tables = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = $1";
    let tables: i64 = raw.query_one(tables, &[&schema]).await.unwrap().get(0);
    assert_eq!(tables, 5);
    raw.batch_execute("UPDATE schema_version SET number = 1")
        .await
        .unwrap();
    assert!(open_again(&schema).await.is_ok());
}

#[tokio::test]
async fn what_is_no_store_is_left_alone_where_it_has_to_be_one() {
    let (schema, raw) = (new_schema(), Server::shared().client());
    let existing = async || {
        let options = PostgresOptions::new().with_schema(&schema).existing();
        options.connect(&Server::shared().url()).await
    };
    assert!(matches!(
        existing().await,
        Err(StoreError::NotAStore { .. })
    ));
    let other = format!("CREATE SCHEMA \"{schema}\"; CREATE TABLE \"{schema}\".run (km INTEGER)");
    raw.batch_execute(&other).await.unwrap();
    assert!(matches!(
        existing().await,
        Err(StoreError::NotAStore { .. })
    ));
    // Nor is what another program has there overwritten.
    assert!(matches!(
        open_again(&schema).await,
        Err(StoreError::Database { .. })
    ));
    let tables = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = $1";
    let tables: i64 = raw.query_one(tables, &[&schema]).await.unwrap().get(0);
    assert_eq!(tables, 1);

    raw.batch_execute(&format!("DROP TABLE \"{schema}\".run"))
        .await
        .unwrap();
    assert!(open_again(&schema).await.is_ok());
    assert!(existing().await.is_ok());
}

#[tokio::test]
async fn stores_in_two_schemas_do_not_know_each_other() {
    let ((one, ..), (two, ..)) = (open().await, open().await);
    let mut said = two.notifications();
    one.start(new_run(&key("a"))).await.unwrap();
    assert!(two.get(&key("a")).await.is_err());
    assert!(two.start(new_run(&key("a"))).await.unwrap());
    assert_eq!(next_key(&mut said).await, key("a"));
    assert!(two.claim(request("two")).await.unwrap().len() == 1);
    assert!(one.claim(request("one")).await.unwrap().len() == 1);
}

#[tokio::test]
async fn a_schema_may_be_called_what_it_likes() {
    for name in [
        "\"; DROP SCHEMA public CASCADE; --",
        "a'b",
        "É $1",
        "SELECT",
    ] {
        let name = format!("{name}{}", new_schema());
        let store = open_again(&name).await.unwrap();
        store.start(new_run(&key("a"))).await.unwrap();
        assert!(
            open_again(&name)
                .await
                .unwrap()
                .get(&key("a"))
                .await
                .is_ok()
        );
    }
    for name in ["", "a\0", "pg_runs", &"x".repeat(49)] {
        let refused = open_again(name).await;
        assert!(matches!(refused, Err(StoreError::InvalidName { .. })));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_open_one_schema_at_once() {
    let schema = new_schema();
    let opened: Vec<_> = (0..8)
        .map(|number| {
            let schema = schema.clone();
            tokio::spawn(async move {
                let store = open_again(&schema).await.unwrap();
                let key = key(&format!("run-{number}"));
                store.start(new_run(&key)).await.unwrap();
            })
        })
        .collect();
    for opened in opened {
        opened.await.unwrap();
    }
    let page = open_again(&schema).await.unwrap().list(Filter::new()).await;
    assert_eq!(page.unwrap().runs.len(), 8);
}

#[tokio::test]
async fn a_database_that_cannot_hold_every_text_is_refused() {
    let raw = Server::shared().client();
    let create = "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0";
    raw.batch_execute(create).await.unwrap();
    let refused = PostgresStore::connect(&Server::shared().url_of("latin")).await;
    assert!(matches!(refused, Err(StoreError::NotAStore { .. })));
}

#[tokio::test]
async fn how_a_database_is_set_up_does_not_matter() {
    let raw = Server::shared().client();
    raw.batch_execute("CREATE DATABASE strict").await.unwrap();
    raw.batch_execute(
        "ALTER DATABASE strict SET default_transaction_isolation TO 'serializable'; \
         ALTER DATABASE strict SET default_transaction_read_only TO on; \
         ALTER DATABASE strict SET search_path TO other; \
         ALTER DATABASE strict SET bytea_output TO 'escape'",
    )
    .await
    .unwrap();
    let store = PostgresStore::connect(&Server::shared().url_of("strict")).await;
    let store = store.unwrap();
    // One waits for the other, and neither fails.
    let starts = [(); 4].map(|()| store.start(new_run(&key("a"))));
    let [a, b, c, d] = starts;
    let (a, b, c, d) = tokio::join!(a, b, c, d);
    let new = [a, b, c, d].into_iter().filter(|it| *it.as_ref().unwrap());
    assert_eq!(new.count(), 1);
    let claim = store.claim(request("worker")).await.unwrap().remove(0);
    let (committed, pushed) = tokio::join!(
        store.commit(&claim.lease, step("/x", "1")),
        store.push(&claim.lease.key, Command::Pause)
    );
    assert!(committed.is_ok() && pushed.is_ok());
    let run = store.load(&key("a")).await.unwrap();
    assert_eq!((run.entries.get("/x"), run.inbox.len()), (Some("1"), 1));
}

#[tokio::test]
async fn what_cannot_be_reached_is_an_error() {
    for url in ["", "nonsense", "postgres://127.0.0.1:1/x", "host=/no/such"] {
        let refused = PostgresStore::connect(url).await;
        assert!(matches!(refused, Err(StoreError::Database { .. })), "{url}");
    }
    // Encryption is never left out in silence.
    let url = format!("{}?sslmode=require", Server::shared().url());
    assert!(PostgresStore::connect(&url).await.is_err());
}

// --- Texts.

#[tokio::test]
async fn a_character_that_postgres_does_not_know_is_no_harm() {
    let (store, ..) = open().await;
    store.start(new_run(&key("a"))).await.unwrap();
    let owner = |name: &str| ClaimRequest::new(name, ["a\0".to_owned(), "flow".to_owned()]);
    let claim = store.claim(owner("own\0er")).await.unwrap().remove(0);
    let mut commit = step("/x/\0", r#""\u0000""#);
    commit.error = Some("broken\0".to_owned());
    store.commit(&claim.lease, commit).await.unwrap();
    let run = store.load(&key("a")).await.unwrap();
    assert_eq!(run.info.error.as_deref(), Some("broken\u{fffd}"));
    assert_eq!(run.entries.get("/x/\0"), Some(r#""\u0000""#));

    let mut not_json = last_step(Status::Done);
    not_json.output = Some("\0".to_owned());
    let refused = store.commit(&claim.lease, not_json).await;
    assert!(matches!(refused, Err(StoreError::NotStorable { .. })));
    let error = "gone\0".to_owned();
    let parked = Release::Parked { error };
    store.release(&claim.lease, parked).await.unwrap();
    let info = store.get(&key("a")).await.unwrap();
    assert_eq!(info.error.as_deref(), Some("gone\u{fffd}"));

    let flow = NewRun::new(key("b"), "a\0", changes(&[], &[]));
    let refused = store.start(flow).await;
    assert!(matches!(refused, Err(StoreError::InvalidName { .. })));
}

#[tokio::test]
async fn what_cannot_be_read_is_an_error_of_that_run_alone() {
    let (store, _, raw) = open().await;
    for id in ["a", "b", "c"] {
        store.start(new_run(&key(id))).await.unwrap();
    }
    raw.batch_execute(
        "UPDATE run SET questions = '{' WHERE id = 'a'; UPDATE run SET status = 'asleep' WHERE id = 'b'; \
         UPDATE entry SET value = '{' FROM run WHERE run.seq = entry.run AND id = 'a'; \
         UPDATE history SET changes = '{' FROM run WHERE run.seq = history.run AND id = 'a'",
    )
    .await
    .unwrap();
    let broken = store.load(&key("a")).await;
    assert!(matches!(broken, Err(StoreError::Corrupt { .. })));
    assert!(store.entries_at(&key("a"), 0).await.is_err());
    assert!(store.get(&key("b")).await.is_err());
    assert!(store.load(&key("c")).await.is_ok());

    let runs = store.list(Filter::new()).await.unwrap().runs;
    let errors = runs.iter().filter(|run| run.error.is_some());
    assert_eq!((runs.len(), errors.count()), (3, 2));
    let claims = store.claim(request("worker")).await.unwrap();
    assert_eq!(claims.len(), 1);
    assert_eq!(claims[0].info.key, key("c"));
    // They are not looked at again and again.
    assert!(store.claim(request("worker")).await.unwrap().is_empty());
    let due = "SELECT COUNT(*) FROM run WHERE id <> 'c' AND wake_at IS NOT NULL";
    assert_eq!(raw.query_one(due, &[]).await.unwrap().get::<_, i64>(0), 0);
}

// --- Work that is aborted.

#[tokio::test]
async fn a_dropped_commit_happens_as_a_whole_or_not_at_all() {
    let schema = new_schema();
    // One connection: what a commit leaves behind the next one finds.
    let options = PostgresOptions::new().with_schema(&schema);
    let options = options.with_max_connections(1);
    let store = options.connect(&Server::shared().url()).await.unwrap();
    store.start(new_run(&key("a"))).await.unwrap();
    let claim = store.claim(request("one")).await.unwrap().remove(0);
    let mut steps = 0;
    for wait in 0..40 {
        let commit = store.commit(&claim.lease, step("/x", &wait.to_string()));
        let finished = tokio::time::timeout(Duration::from_micros(wait * 100), commit).await;
        let run = store.load(&key("a")).await.unwrap();
        let is_whole = run.entries.get("/x") == Some(&*wait.to_string());
        assert_eq!(run.info.step, steps + u64::from(is_whole));
        assert!(is_whole || finished.is_err());
        steps = run.info.step;
        let history = store.history(&key("a"), 0, usize::MAX).await.unwrap();
        assert_eq!(history.len() as u64, steps + 1);
    }
    store
        .commit(&claim.lease, last_step(Status::Done))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_write_takes_few_round_trips_whatever_is_written() {
    let (schema, port) = (new_schema(), Server::shared().port());
    let (port, round_trips) = proxy(port).await;
    let options = PostgresOptions::new().with_schema(schema);
    let options = options.with_max_connections(1);
    let store = options.connect(&url(port, "postgres")).await.unwrap();
    // The first time statements are prepared.
    for (is_prepared, id) in [(false, "a"), (true, "b")] {
        let start = round_trips.count();
        store.start(new_run(&key(id))).await.unwrap();
        let started = round_trips.count();
        let claim = store.claim(request("worker")).await.unwrap().remove(0);
        let claimed = round_trips.count();
        let number = store.push(&key(id), Command::Pause).await.unwrap();
        let pushed = round_trips.count();
        let mut commit = last_step(Status::Suspended);
        let items: Vec<_> = (0..100).map(|item| format!("/items/{item}")).collect();
        let put: Vec<_> = items.iter().map(|item| (&**item, "1")).collect();
        commit.changes = changes(&["/states", "/x", "/y"], &put);
        (commit.taken, commit.seen) = (vec![number], number);
        store.commit(&claim.lease, commit).await.unwrap();
        let committed = round_trips.count();
        store.load(&key(id)).await.unwrap();
        let loaded = round_trips.count();
        let counts = [
            started - start,
            claimed - started,
            pushed - claimed,
            committed - pushed,
            loaded - committed,
        ];
        assert!(!is_prepared || counts == [1, 1, 2, 1, 1], "{counts:?}");
    }
}

// --- Notifications and times.

/// The next run that is named.
async fn next_key(said: &mut Notifications) -> RunKey {
    let named = async {
        loop {
            if let Some(key) = said.next().await {
                return key;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), named)
        .await
        .unwrap()
}

#[tokio::test]
async fn what_one_process_does_another_hears_of() {
    let (store, schema, _raw) = open().await;
    let other = open_again(&schema).await.unwrap();
    let (mut runs, mut commits) = (other.notifications(), other.commit_notifications());
    // It listens to commits from now on.
    assert!(commits.next().await.is_none());
    let long = key(&"é".repeat(128)).of_tenant("ü".repeat(128)).unwrap();
    store.start(new_run(&long)).await.unwrap();
    assert_eq!(next_key(&mut runs).await, long);
    let claim = store.claim(request("worker")).await.unwrap().remove(0);
    store.push(&long, Command::Pause).await.unwrap();
    assert_eq!(next_key(&mut runs).await, long);
    store.commit(&claim.lease, step("/x", "1")).await.unwrap();
    assert_eq!(next_key(&mut commits).await, long);
    store.release(&claim.lease, Release::Stopped).await.unwrap();
    assert_eq!(next_key(&mut runs).await, long);
}

#[tokio::test]
async fn what_a_process_does_it_hears_of_once() {
    let (store, schema, _raw) = open().await;
    let other = open_again(&schema).await.unwrap();
    let mut said = store.notifications();
    for id in ["a", "b"] {
        store.start(new_run(&key(id))).await.unwrap();
    }
    other.start(new_run(&key("c"))).await.unwrap();
    for id in ["a", "b", "c"] {
        assert_eq!(next_key(&mut said).await, key(id));
    }
}

#[tokio::test]
async fn what_nobody_understands_is_a_reason_to_look() {
    let (store, schema, raw) = open().await;
    let mut said = store.notifications();
    let notify = format!("NOTIFY \"{schema}.runs\"");
    raw.batch_execute(&notify).await.unwrap();
    let looks = tokio::time::timeout(Duration::from_secs(30), said.next()).await;
    assert_eq!(looks.unwrap(), None);
}

#[tokio::test]
async fn a_worker_of_another_process_starts_at_once() {
    let (store, schema, _raw) = open().await;
    let other = std::sync::Arc::new(open_again(&schema).await.unwrap());
    let day = Duration::from_secs(24 * 60 * 60);
    let worker = worker(other, &Effects::default()).with_poll_interval(day);
    let _working = Working::start(worker);
    let runs = Runs::new(store);
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    until(&runs, &id, Status::Done).await;
}

#[tokio::test]
async fn the_time_of_a_store_is_that_of_its_database() {
    let (store, _, raw) = open().await;
    let before = store.clock().now();
    let now = raw
        .query_one("SELECT clock_timestamp()", &[])
        .await
        .unwrap();
    let now: SystemTime = now.get(0);
    let after = store.clock().now();
    let tolerance = Duration::from_millis(500);
    assert!(before < now + tolerance && now < after + tolerance);
}
