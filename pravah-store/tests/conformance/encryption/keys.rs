//! Keys that are wrong, new or gone, and what was stored before there were any.

use std::{sync::Arc, time::Duration};

use pravah_store::{Command, DecryptionError, EncryptedStore, KeyRing, RunStore, Runs, Status};

use super::{File, claim, fill, keys, not_authentic, read_all, reason};
use crate::{
    flows::{Draft, Order, Served, Working, until, worker},
    support::{key, step},
};

#[tokio::test(start_paused = true)]
async fn a_worker_with_a_wrong_key_leaves_a_run_to_one_with_the_right_key() {
    let file = File::new();
    let store = file.encrypted(keys());
    let runs = Runs::new(store.clone());
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    for (wrong, expected) in [
        (KeyRing::new("2026", [7; 32]), not_authentic()),
        (
            KeyRing::new("2027", [6; 32]),
            reason(
                file.encrypted(KeyRing::new("2027", [6; 32]).unwrap())
                    .load(&key(&id))
                    .await,
            ),
        ),
    ] {
        let theirs = file.encrypted(wrong.unwrap());
        assert_eq!(reason(theirs.load(&key(&id)).await), expected);
        let at_work = Working::start(worker(theirs, &Default::default()));
        tokio::time::sleep(Duration::from_secs(5)).await;
        at_work.kill().await;
        let info = runs.status(&id).await.unwrap();
        assert_eq!((info.step, info.status), (0, Status::Ready));
        assert!(info.failed_claims > 0);
        // Nobody here can read what the other worker has written of it.
        let error = info.error.unwrap();
        let expected = "the error was written with another key: a worker with another key could not read this run (";
        assert!(error.starts_with(expected), "{error}");
    }
    let _at_work = Working::start(worker(store, &Default::default()));
    until(&runs, &id, Status::Done).await;
    let output = runs.output::<Order>(&id).await.unwrap();
    assert_eq!(output, Some(Served { cups: 2 }));
}

#[tokio::test(start_paused = true)]
async fn a_worker_and_a_handle_without_keys_say_that_the_run_is_encrypted() {
    let file = File::new();
    let store = file.encrypted(keys());
    let runs = Runs::new(store.clone());
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    let expected =
        format!("the run `{id}` is encrypted, and this store is not an `EncryptedStore`");
    let at_work = Working::start(worker(Arc::new(file.plain()), &Default::default()));
    until(&runs, &id, Status::Failed).await;
    at_work.kill().await;
    let error = runs.status(&id).await.unwrap().error.unwrap();
    assert!(error.ends_with(&expected), "{error}");

    runs.retry(&id).await.unwrap();
    let _at_work = Working::start(worker(store, &Default::default()));
    until(&runs, &id, Status::Done).await;
    let output = Runs::new(file.plain()).output::<Order>(&id).await;
    assert_eq!(output.unwrap_err().to_string(), expected);
}

#[tokio::test]
async fn a_run_that_has_another_key_is_called_itself_and_not_by_the_key_of_its_head() {
    let file = File::new();
    fill(&*file.encrypted(keys()), &key("a")).await;
    let other = file.encrypted(KeyRing::new("2026", [7; 32]).unwrap());
    let error = other.entries_at(&key("a"), 0).await.unwrap_err();
    assert_eq!(error.to_string(), "the run itself cannot be decrypted");
}

#[tokio::test]
async fn a_key_is_needed_as_long_as_something_is_encrypted_with_it() {
    let file = File::new();
    let old = file.encrypted(KeyRing::new("2025", [5; 32]).unwrap());
    fill(&*old, &key("a")).await;
    let before = read_all(&*old, &key("a")).await.unwrap();
    let both = keys().with_key_for_reading("2025", [5; 32]).unwrap();
    let both = file.encrypted(both);
    assert_eq!(read_all(&*both, &key("a")).await.unwrap(), before);
    let lease = claim(&*both, "a").await.lease;
    both.commit(&lease, step("/x", "3")).await.unwrap();

    // Each of the two lacks what the other key has encrypted.
    let unknown = |id: &str, error: DecryptionError| {
        let expected = format!("there is no key `{id}`; `KeyRing::with_key_for_reading` adds it");
        assert_eq!(error.to_string(), expected);
    };
    unknown("2026", reason(old.load(&key("a")).await));
    let new = file.encrypted(keys());
    unknown("2025", reason(new.load(&key("a")).await));
    let loaded = both.load(&key("a")).await.unwrap();
    assert_eq!(loaded.entries.get("/x"), Some("3"));
    assert_eq!(loaded.entries.get("/y"), Some("2"));
}

#[tokio::test]
async fn what_is_not_encrypted_is_an_error_unless_it_may_be_read() {
    let file = File::new();
    fill(&file.plain(), &key("a")).await;
    let strict = file.encrypted(keys());
    for read in [
        strict.load(&key("a")).await.map(drop),
        strict.get(&key("a")).await.map(drop),
        strict.history(&key("a"), 0, 9).await.map(drop),
        strict.entries_at(&key("a"), 0).await.map(drop),
    ] {
        assert_eq!(reason(read), DecryptionError::NotEncrypted);
    }
    let lenient = EncryptedStore::new(file.plain(), keys()).reading_unencrypted();
    assert_eq!(
        read_all(&lenient, &key("a")).await.unwrap(),
        read_all(&file.plain(), &key("a")).await.unwrap()
    );
}

#[tokio::test(start_paused = true)]
async fn a_command_that_was_given_without_the_cipher_is_refused_and_stops_nobody() {
    let file = File::new();
    let (store, plain) = (file.encrypted(keys()), Runs::new(file.plain()));
    let runs = Runs::new(store.clone());
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    let _at_work = Working::start(worker(store, &Default::default()));
    until(&runs, &id, Status::Suspended).await;
    plain.answer(&id, "approve", false).await.unwrap();
    runs.answer(&id, "approve", true).await.unwrap();
    until(&runs, &id, Status::Done).await;
    let history = runs.history(&id).await.unwrap();
    let refused: Vec<_> = history.iter().flat_map(|row| &row.refused).collect();
    let [refused] = refused.as_slice() else {
        panic!("{refused:?}")
    };
    let expected = "a command cannot be decrypted: it was stored without encryption: start runs and send commands \
                    through the `EncryptedStore`, or let `EncryptedStore::reading_unencrypted` read it";
    assert_eq!(refused.error, expected);
}

#[tokio::test(start_paused = true)]
async fn a_command_with_another_key_of_the_same_id_or_a_changed_byte_is_refused_and_stops_nobody() {
    const CHANGE: &str = "UPDATE inbox SET command = substr(command, 1, instr(command, 'enc1:') + 44) \
        || iif(substr(command, instr(command, 'enc1:') + 45, 1) = 'A', 'B', 'A') \
        || substr(command, instr(command, 'enc1:') + 46)";
    for is_changed in [true, false] {
        let file = File::new();
        let store = file.encrypted(keys());
        let runs = Runs::new(Arc::clone(&store));
        let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
        let working = Working::start(worker(Arc::clone(&store), &Default::default()));
        until(&runs, &id, Status::Suspended).await;
        working.kill().await;
        if is_changed {
            runs.answer(&id, "approve", false).await.unwrap();
            file.raw().execute(CHANGE, []).unwrap();
        } else {
            let other = KeyRing::new("2026", [9; 32]).unwrap();
            let other = Runs::new(file.encrypted(other));
            let answer = Command::Answer {
                id: "approve".into(),
                number: None,
                answer: false.into(),
            };
            other.send(&id, answer).await.unwrap();
        }
        runs.answer(&id, "approve", true).await.unwrap();
        let _working = Working::start(worker(store, &Default::default()));
        until(&runs, &id, Status::Done).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_key_is_gone_can_be_cancelled() {
    let file = File::new();
    let theirs = file.encrypted(KeyRing::new("2027", [7; 32]).unwrap());
    for (id, canceller) in [
        ("theirs", Runs::new(theirs.clone())),
        ("plain", Runs::new(file.plain())),
        ("ours", Runs::new(file.encrypted(keys()))),
    ] {
        let start = Runs::new(theirs.clone());
        let start = start.start::<Draft>(Draft { version: 1 });
        start.with_id(id).await.unwrap();
        let at_work = Working::start(worker(file.encrypted(keys()), &Default::default()));
        let runs = Runs::new(file.plain());
        until(&runs, id, Status::Failed).await;
        // An answer that nobody here can read does not stand in the way.
        let answered = Runs::new(theirs.clone());
        answered.answer(id, "approve", true).await.unwrap();
        canceller.cancel(id, "enough").await.unwrap();
        until(&runs, id, Status::Cancelled).await;
        at_work.kill().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_started_without_encryption_resumes_with_it() {
    let file = File::new();
    let runs = Runs::new(file.plain());
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    let store: Arc<dyn RunStore> =
        Arc::new(EncryptedStore::new(file.plain(), keys()).reading_unencrypted());
    let _at_work = Working::start(worker(store.clone(), &Default::default()));
    let runs = Runs::new(store);
    until(&runs, &id, Status::Done).await;
    let output = runs.output::<Order>(&id).await.unwrap();
    assert_eq!(output, Some(Served { cups: 2 }));
    let stored = file.plain().get(&key(&id)).await.unwrap();
    assert!(stored.output.unwrap().starts_with("\"enc1:"));
    // Also what looks encrypted has to be.
    let forged = "UPDATE run SET output = '\"enc1:AAAA\"'";
    file.raw().execute(forged, []).unwrap();
    assert_eq!(reason(runs.status(&id).await), DecryptionError::Damaged);
}
