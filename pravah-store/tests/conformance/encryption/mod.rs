//! What an encrypted store hides, what it refuses to read, and its keys.

mod changed;
mod hidden;
mod keys;

use std::{error::Error as _, sync::Arc};

use pravah_store::{
    Cipher as _, Claim, ClaimRequest, Command, DecryptionError, EncryptedStore, KeyRing, NewRun,
    Refusal, RunKey, RunStore, SqliteOptions, SqliteStore, Status, StoreError,
};
use rusqlite::Connection;
use serde_json::json;

use crate::support::{changes, last_step};

/// A file, and the stores over it.
struct File(tempfile::TempDir);

impl File {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn plain(&self) -> SqliteStore {
        let options = SqliteOptions::new().without_sync();
        options.open(self.0.path().join("runs.db")).unwrap()
    }

    fn encrypted(&self, keys: KeyRing) -> Arc<dyn RunStore> {
        Arc::new(EncryptedStore::new(self.plain(), keys))
    }

    fn raw(&self) -> Connection {
        Connection::open(self.0.path().join("runs.db")).unwrap()
    }

    /// Every byte of the file, its log and its index.
    fn bytes(&self) -> Vec<u8> {
        let files = std::fs::read_dir(self.0.path()).unwrap();
        let mut bytes = Vec::new();
        for file in files {
            bytes.extend(std::fs::read(file.unwrap().path()).unwrap());
        }
        bytes
    }
}

fn keys() -> KeyRing {
    KeyRing::new("2026", [6; 32]).unwrap()
}

/// What a decryption failed with.
#[track_caller]
fn reason<T: std::fmt::Debug>(result: Result<T, StoreError>) -> DecryptionError {
    let error = result.unwrap_err();
    assert!(matches!(error, StoreError::Decryption { .. }), "{error:?}");
    let source = error.source().and_then(|it| it.downcast_ref());
    DecryptionError::clone(source.unwrap())
}

/// What is said where a key does not fit.
fn not_authentic() -> DecryptionError {
    let other = KeyRing::new("2026", [7; 32]).unwrap();
    let encrypted = other.encrypt(b"", b"").unwrap();
    let error = keys().decrypt(&encrypted, b"").unwrap_err();
    *error.downcast().unwrap()
}

async fn claim(store: &dyn RunStore, flow: &str) -> Claim {
    let request = ClaimRequest::new("worker", [flow.to_owned()]);
    store.claim(request).await.unwrap().remove(0)
}

/// A run with a payload in each column, and two commands. Its flow is called as the run is.
async fn fill(store: &dyn RunStore, key: &RunKey) {
    let entries = changes(&[], &[("", "{}"), ("/x", "1"), ("/y", "2")]);
    store
        .start(NewRun::new(key.clone(), key.run_id(), entries))
        .await
        .unwrap();
    let lease = claim(store, &key.run_id()).await.lease;
    let question = |number| {
        let asked = json!({ "id": "ask", "number": number, "value": { "prompt": "Yes?" } });
        serde_json::from_value(asked).unwrap()
    };
    let mut commit = last_step(Status::Suspended);
    commit.questions = vec![question(0), question(1)];
    commit.output = Some("7".to_owned());
    commit.error = Some("it broke".to_owned());
    commit.refused = vec![Refusal::new(8, "too late"), Refusal::new(9, "too early")];
    store.commit(&lease, commit).await.unwrap();
    for id in ["one", "two"] {
        let command = Command::Answer {
            id: id.to_owned(),
            number: Some(0),
            answer: json!(id),
        };
        store.push(key, command).await.unwrap();
    }
}

/// All that can be read of a run.
async fn read_all(store: &dyn RunStore, key: &RunKey) -> Result<String, StoreError> {
    let loaded = store.load(key).await?;
    let history = store.history(key, 0, 9).await?;
    let before = store.entries_at(key, 0).await?;
    Ok(format!("{loaded:?} {history:?} {before:?}"))
}
