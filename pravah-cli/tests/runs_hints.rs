//! What `pravah runs` says to do next, and what it refuses to do.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod common;
#[path = "common/tickets.rs"]
mod tickets;

use std::{path::Path, sync::Arc, time::Duration};

use common::{err, out, pravah};
use pravah_store::{EncryptedStore, KeyRing, RunKey, RunStore, Runs, SqliteStore, Status, Worker};
use tempfile::TempDir;
use tickets::{Ticket, support};

/// What is between the first two backquotes, done by a shell.
fn paste(folder: &Path, said: &str) -> std::process::Output {
    let command = said.split('`').nth(1).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_pravah"));
    let mut shell = std::process::Command::new("/bin/sh");
    let paths = std::env::join_paths([program.parent().unwrap()]).unwrap();
    let shell = shell.env("PATH", paths).current_dir(folder);
    shell.args(["-c", command]).output().unwrap()
}

#[tokio::test]
async fn what_is_said_can_be_pasted_whatever_names_are_in_it() {
    let folder = TempDir::new().unwrap();
    let (file, tenant) = ("my runs; of $HOME.db", "o'hara & co");
    let store = SqliteStore::open(folder.path().join(file)).unwrap();
    let runs = Runs::new(store.clone()).of_tenant(tenant).unwrap();
    for id in ["-7 of 9", "--help"] {
        let ticket = Ticket { text: "tea".into() };
        let start = runs.start::<support>(ticket).with_id(id);
        start.with_tag("a b", "c'd").await.unwrap();
    }
    let asks = async {
        while runs.status("--help").await.unwrap().status != Status::Suspended
            || runs.status("-7 of 9").await.unwrap().status != Status::Suspended
        {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    Worker::new(store).serve::<support>().run(asks).await;

    let place = ["--store", file, "--tenant", tenant];
    let say = |arguments: &[&str]| {
        let output = pravah(folder.path(), &[&["runs"], &place[..], arguments].concat());
        out(&output) + &err(&output)
    };
    let list = say(&[
        "list", "--limit", "1", "--tag", "a b=c'd", "--flow", "support",
    ]);
    let more = paste(folder.path(), &list);
    // Which of the two is on the first page is not said: they may have started in one millisecond.
    let pages = format!("{list}{}{}", out(&more), err(&more));
    for id in ["-7 of 9", "--help"] {
        let row = pages.lines().find(|line| line.starts_with(id));
        assert!(row.is_some_and(|row| row.contains("suspended")), "{pages}");
    }

    for id in ["-7 of 9", "--help"] {
        let shown = say(&["show", "--", id]);
        let hint = shown.lines().find(|line| line.ends_with(" JSON")).unwrap();
        let answered = paste(
            folder.path(),
            &format!("`{}`", hint.trim().replace("JSON", "true")),
        );
        let said = err(&answered);
        assert!(said.starts_with("stored: "), "{hint}: {said}");
        let history = paste(folder.path(), &said);
        assert!(out(&history).contains("draft"), "{said}{}", err(&history));
        let said = say(&["fork", "--", id, "99"]);
        let said = said
            .split_once(": `pravah")
            .map(|(_, rest)| format!("`pravah{rest}"));
        let history = paste(folder.path(), &said.unwrap());
        assert!(out(&history).contains("draft"), "{}", err(&history));
    }
    let said = say(&["show", "no such run"]);
    let said = said
        .split_once(": `pravah")
        .map(|(_, rest)| format!("`pravah{rest}"));
    let list = paste(folder.path(), &said.unwrap());
    assert!(out(&list).contains("--help"), "{}", err(&list));
}

#[tokio::test]
async fn a_run_that_is_encrypted_is_told_nothing_that_it_could_not_read() {
    let folder = TempDir::new().unwrap();
    let store = SqliteStore::open(folder.path().join("runs.db")).unwrap();
    let keys = KeyRing::new("k", [7; 32]).unwrap();
    let runs = Runs::new(EncryptedStore::new(store.clone(), keys));
    let ticket = Ticket { text: "tea".into() };
    let start = runs.start::<support>(ticket).with_id("a");
    start.await.unwrap();
    for arguments in [
        &["answer", "a", "approve", "true", "--early"][..],
        &["cancel", "a", "--reason", "sold out"],
    ] {
        let output = pravah(folder.path(), &[&["runs"], arguments].concat());
        let expected = "error: the run `a` is encrypted, and `pravah` has no keys: use a program that has them\n";
        assert_eq!(err(&output), expected);
    }
    assert!(
        store
            .inbox(&RunKey::new("a").unwrap(), 0)
            .await
            .unwrap()
            .is_empty()
    );
    let shown = pravah(folder.path(), &["runs", "show", "a"]);
    assert!(shown.status.success() && !out(&shown).contains("tea"));
}

#[tokio::test]
async fn what_is_encrypted_is_said_to_be_and_not_shown() {
    let folder = TempDir::new().unwrap();
    let store = SqliteStore::open(folder.path().join("runs.db")).unwrap();
    let encrypted = EncryptedStore::new(store.clone(), KeyRing::new("k", [7; 32]).unwrap());
    let encrypted: Arc<dyn RunStore> = Arc::new(encrypted);
    let runs = Runs::new(encrypted.clone());
    for (id, text) in [("asks", "tea"), ("done", "milk"), ("fails", "")] {
        let ticket = Ticket { text: text.into() };
        let start = runs.start::<support>(ticket).with_id(id);
        start.await.unwrap();
    }
    runs.answer("done", "approve", true).await.unwrap();
    runs.answer("asks", "aprove", true).await.unwrap();
    let ended = async {
        for (id, status) in [
            ("asks", Status::Suspended),
            ("done", Status::Done),
            ("fails", Status::Failed),
        ] {
            while runs.status(id).await.unwrap().status != status {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    };
    Worker::new(encrypted).serve::<support>().run(ended).await;
    let prints = |arguments: &[&str]| {
        let output = pravah(folder.path(), &[&["runs"], arguments].concat());
        assert!(output.status.success(), "{}", err(&output));
        let text = out(&output);
        assert!(!text.contains("enc1:"), "{text}");
        text
    };
    let asks = prints(&["show", "asks"]);
    for expected in [
        "states that wait:\n  Drafted: (encrypted)\n",
        "open questions:\n  approve: (encrypted)\n",
        "commands that wait:\n  1: answer to `aprove`: (encrypted)\n",
    ] {
        assert!(asks.contains(expected), "{asks}");
    }
    assert!(prints(&["show", "done"]).contains("output:  (encrypted)\n"));
    assert!(prints(&["show", "fails"]).contains("error:   (encrypted)\n"));
    let list = prints(&["list"]);
    assert!(list.contains("(encrypted)"), "{list}");
}
