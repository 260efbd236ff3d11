//! The runs of a file that a worker has filled, looked after on the command line.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that fails is a test that fails"
)]

mod common;
#[path = "common/tickets.rs"]
mod tickets;

use std::{path::Path, time::Duration};

use common::{err, out, pravah};
use pravah_store::{Runs, SqliteStore, Status, Worker};
use serde_json::{Value, json};
use tempfile::TempDir;
use tickets::{Ticket, support};

/// A folder with a store in it, on which a worker works when it is told to.
struct Service {
    folder: TempDir,
    runs: Runs,
}

impl Service {
    /// One with a run that asks, `asks`; one that is done, `done`, with a tag; one that has failed, `fails`; and one of
    /// a tenant, `theirs`, that asks.
    async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let store = SqliteStore::open(folder.path().join("runs.db")).unwrap();
        let it = Self {
            folder,
            runs: Runs::new(store),
        };
        let ticket = |text: &str| Ticket { text: text.into() };
        let start = it.runs.start::<support>(ticket("tea")).with_id("asks");
        start.await.unwrap();
        let start = it.runs.start::<support>(ticket("milk")).with_id("done");
        start.with_tag("region", "eu").await.unwrap();
        it.runs.answer("done", "approve", false).await.unwrap();
        let start = it.runs.start::<support>(ticket("")).with_id("fails");
        start.await.unwrap();
        let acme = it.runs.of_tenant("acme").unwrap();
        let start = acme.start::<support>(ticket("salt")).with_id("theirs");
        start.await.unwrap();
        it.work().await;
        it
    }

    /// Lets a worker make all steps that there are.
    async fn work(&self) {
        let store = SqliteStore::open(self.folder.path().join("runs.db")).unwrap();
        let worker = Worker::new(store).serve::<support>();
        let is_over = async {
            loop {
                let every = pravah_store::Filter::new().every_tenant();
                let page = self.runs.list(every).await.unwrap();
                let moves = |status| matches!(status, Status::Ready | Status::Waiting);
                let is_due = |run: &pravah_store::RunInfo| run.wake_at.is_some();
                if !page.runs.iter().any(|run| moves(run.status) || is_due(run)) {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        worker.run(is_over).await;
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// What `pravah runs` prints.
    fn prints(&self, arguments: &[&str]) -> String {
        let output = pravah(self.path(), &[&["runs"], arguments].concat());
        assert!(output.status.success(), "{arguments:?}: {}", err(&output));
        out(&output)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.prints(&[arguments, &["--json"]].concat())).unwrap()
    }

    /// What `pravah runs` says is wrong.
    fn refuses(&self, arguments: &[&str]) -> String {
        let output = pravah(self.path(), &[&["runs"], arguments].concat());
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert_eq!(out(&output), "");
        err(&output)
    }
}

/// The ids of a list.
fn ids(list: &Value) -> Vec<&str> {
    let runs = list["runs"].as_array().unwrap().iter();
    let mut ids: Vec<_> = runs.map(|run| run["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    ids
}

#[tokio::test]
async fn runs_are_listed_by_what_they_are() {
    let it = Service::new().await;
    assert_eq!(ids(&it.json(&["list"])), ["asks", "done", "fails"]);
    for (filters, expected) in [
        (&["--status", "suspended"][..], &["asks"][..]),
        (&["--status", "failed"], &["fails"]),
        (&["--tag", "region=eu"], &["done"]),
        (&["--tag", "region=eu", "--tag", "a=b"], &[]),
        (&["--flow", "support", "--status", "done"], &["done"]),
        (&["--flow", "other"], &[]),
        (&["--tenant", "acme"], &["theirs"]),
        (&["--every-tenant"], &["asks", "done", "fails", "theirs"]),
    ] {
        let list = it.json(&[&["list"], filters].concat());
        assert_eq!(ids(&list), expected, "{filters:?}");
    }
}

#[tokio::test]
async fn a_list_is_a_table_that_says_what_runs_wait_for() {
    let it = Service::new().await;
    let table = it.prints(&["list", "--every-tenant"]);
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("TENANT  ID      FLOW     STATUS     STEPS  STARTED"));
    let line = |start: &str| lines.iter().find(|line| line.starts_with(start)).unwrap();
    assert!(line("-       asks").ends_with("asks approve"), "{table}");
    assert!(line("acme    theirs").contains("suspended"), "{table}");
    let failed = line("-       fails");
    assert!(failed.contains("failed") && failed.contains("the ticket is empty"));
}

#[tokio::test]
async fn a_list_continues_after_a_page() {
    let it = Service::new().await;
    let first = it.json(&["list", "--limit", "2"]);
    let next = first["next"].as_str().unwrap();
    let second = it.json(&["list", "--after", next]);
    assert_eq!(second["next"], Value::Null);
    assert_eq!((ids(&first).len(), ids(&second).len()), (2, 1));
    let output = pravah(it.path(), &["runs", "list", "--limit", "2"]);
    let expected =
        format!("there are more: `pravah runs list --limit=2 --after={next}` lists them\n");
    assert_eq!(err(&output), expected);
}

#[tokio::test]
async fn a_run_is_shown_with_what_waits_in_it_and_how_to_answer() {
    let it = Service::new().await;
    let text = it.prints(&["show", "asks"]);
    for expected in [
        "run:     asks\nflow:    support\nstatus:  suspended\n",
        "states that wait:\n  Drafted: {\"reply\":\"On tea: sorry.\"}\n",
        "open questions:\n  approve: Send \"On tea: sorry.\"?\n    pravah runs answer asks approve JSON\n",
        "STEP  COMMITTED             NODE     KIND      STATUS     COMMANDS\n0     ",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    let shown = it.json(&["show", "asks"]);
    assert_eq!(shown["run"]["questions"][0]["id"], "approve");
    assert_eq!(
        shown["states"],
        json!({ "Drafted": { "reply": "On tea: sorry." } })
    );
    assert_eq!(shown["history"][1]["node"]["id"], "draft");

    let text = it.prints(&["--tenant", "acme", "show", "theirs"]);
    assert!(
        text.contains("    pravah runs --tenant acme answer theirs approve JSON\n"),
        "{text}"
    );

    let text = it.prints(&["show", "done"]);
    assert!(
        text.contains("output:  {\"reply\":\"Later.\"}\ntags:    region=eu\n"),
        "{text}"
    );
    for heading in ["states that wait", "open questions", "commands that wait"] {
        assert!(!text.contains(heading), "{text}");
    }
    let text = it.prints(&["show", "fails"]);
    assert!(
        text.contains("error:   node `draft` failed: the ticket is empty\n"),
        "{text}"
    );
}

#[tokio::test]
async fn a_history_says_what_each_step_took_and_refused() {
    let it = Service::new().await;
    it.prints(&["answer", "asks", "approve", "perhaps", "--unchecked"]);
    it.prints(&["answer", "asks", "approve", "true"]);
    it.work().await;
    let history = it.json(&["history", "asks"]);
    let rows = history.as_array().unwrap();
    let refused = rows
        .iter()
        .flat_map(|row| row["refused"].as_array().unwrap());
    assert_eq!(refused.count(), 1);
    assert_eq!(rows.last().unwrap()["status"], "done");
    let text = it.prints(&["history", "asks"]);
    assert!(
        text.contains("refused 1: ") && text.contains("took 2"),
        "{text}"
    );
}

#[tokio::test]
async fn an_answer_lets_a_run_resume() {
    let it = Service::new().await;
    it.prints(&["answer", "asks", "approve", "true"]);
    it.prints(&["--tenant", "acme", "answer", "theirs", "approve", "false"]);
    it.work().await;
    let output = &it.json(&["show", "asks"])["run"]["output"];
    assert_eq!(output, &json!({ "reply": "On tea: sorry." }));
    let shown = it.json(&["show", "theirs", "--tenant", "acme"]);
    assert_eq!(shown["run"]["output"], json!({ "reply": "Later." }));
}

#[tokio::test]
async fn an_answer_to_what_is_not_asked_waits_only_if_that_is_said() {
    let it = Service::new().await;
    let said = it.refuses(&["answer", "asks", "aprove", "true"]);
    assert!(
        said.contains("asks no question `aprove` (open: `approve`)") && said.contains("--early"),
        "{said}"
    );
    it.prints(&["answer", "fails", "approve", "true", "--early"]);
    it.prints(&["answer", "asks", "aprove", "true", "--early"]);
    let text = it.prints(&["show", "asks"]);
    let expected = "\n\ncommands that wait:\n  1: answer to `aprove`: true\n\n";
    assert!(text.contains(expected), "{text}");
    let commands = &it.json(&["show", "asks"])["commands"];
    assert_eq!(commands[0]["number"], 1);
    assert_eq!(commands[0]["command"]["id"], "aprove");
    let said = it.refuses(&["answer", "done", "approve", "true"]);
    assert_eq!(
        said,
        "error: the run `done` is done, and takes no more commands\n"
    );
}

#[tokio::test]
async fn an_answer_that_does_not_fit_its_question_is_refused_at_once() {
    let it = Service::new().await;
    let said = it.refuses(&["answer", "asks", "approve", "perhaps"]);
    let expected = "error: the question `approve` takes no such answer: the value ";
    assert!(
        said.starts_with(expected) && said.contains("--unchecked"),
        "{said}"
    );
    assert_eq!(it.json(&["show", "asks"])["commands"], json!([]));
}

#[tokio::test]
async fn a_run_is_cancelled_for_a_reason() {
    let it = Service::new().await;
    it.prints(&["cancel", "asks", "--reason", "sold out"]);
    it.work().await;
    let run = &it.json(&["show", "asks"])["run"];
    assert_eq!(
        (&run["status"], &run["error"]),
        (&json!("cancelled"), &json!("sold out"))
    );
}

#[tokio::test]
async fn a_run_that_has_failed_is_tried_again_and_no_other() {
    let it = Service::new().await;
    it.prints(&["retry", "fails"]);
    assert_eq!(it.json(&["show", "fails"])["run"]["status"], "ready");
    it.work().await;
    assert_eq!(it.json(&["show", "fails"])["run"]["status"], "failed");
    let said = it.refuses(&["retry", "asks"]);
    let expected =
        "error: the run `asks` is suspended: only one that has failed can be tried again\n";
    assert_eq!(said, expected);
}

#[tokio::test]
async fn a_fork_starts_from_a_step() {
    let it = Service::new().await;
    let fork = it.prints(&["fork", "done", "1"]);
    let fork = fork.trim_end();
    it.prints(&["answer", fork, "approve", "true", "--early"]);
    it.work().await;
    let run = &it.json(&["show", fork])["run"];
    assert_eq!(run["output"], json!({ "reply": "On milk: sorry." }));
    let text = it.prints(&["show", fork]);
    assert!(
        text.contains("forked:  from `done` after step 1\n"),
        "{text}"
    );
    let said = it.refuses(&["fork", "done", "99"]);
    assert!(said.contains("`pravah runs history done` lists"), "{said}");
}

#[tokio::test]
async fn runs_that_have_ended_are_deleted_by_age() {
    let it = Service::new().await;
    assert_eq!(it.prints(&["prune", "--max-age", "1d"]), "deleted: 0\n");
    let keep_none = ["prune", "--max-age", "1d", "--max-runs", "0"];
    assert_eq!(it.prints(&keep_none), "deleted: 1\n");
    assert_eq!(ids(&it.json(&["list"])), ["asks", "fails"]);
    let output = pravah(it.path(), &["runs", "prune", "--max-age", "soon"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("write `30d`"), "{}", err(&output));
}

#[tokio::test]
async fn what_is_not_there_is_an_error_that_says_where_to_look() {
    let it = Service::new().await;
    let said = it.refuses(&["show", "theirs"]);
    assert!(said.contains("`--tenant` says whose is meant"), "{said}");
    let said = it.refuses(&["show", "asks", "--tenant", "acme"]);
    assert!(said.contains("`pravah runs --tenant acme list`"), "{said}");
    let said = it.refuses(&["list", "--store", "others.db"]);
    assert!(
        said.contains("`others.db` is not a store of runs"),
        "{said}"
    );
    assert!(!it.path().join("others.db").exists());
    let said = it.refuses(&["list", "--tenant", "a/b"]);
    assert_eq!(said, "error: a tenant must not contain `/`\n");
}

#[test]
fn a_file_that_is_no_database_is_named_once() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("notes.txt"), "not a database").unwrap();
    let output = pravah(folder.path(), &["runs", "list", "--store", "notes.txt"]);
    assert!(!output.status.success());
    let said = err(&output);
    let expected = "error: `notes.txt` cannot be opened: file is not a database";
    assert!(said.starts_with(expected), "{said}");
    assert_eq!(said.matches("notes.txt").count(), 1, "{said}");
}

#[test]
fn a_database_that_cannot_be_opened_is_named_without_its_password() {
    let folder = TempDir::new().unwrap();
    let url = "postgres://me:secret@127.0.0.1:1/runs";
    let output = pravah(folder.path(), &["runs", "list", "--store", url]);
    assert!(!output.status.success());
    let said = err(&output);
    assert!(
        said.contains("`postgres://127.0.0.1:1/runs` cannot be opened"),
        "{said}"
    );
    assert!(!said.contains("secret"), "{said}");
}

#[tokio::test]
async fn a_configuration_that_is_broken_does_not_matter_to_runs() {
    let it = Service::new().await;
    std::fs::write(it.path().join("pravah.toml"), "pakcs = []\n").unwrap();
    it.prints(&["list"]);
}
