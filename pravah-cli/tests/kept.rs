//! Runs that the command line keeps in files.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that fails is a test that fails"
)]

mod common;

use std::{fs, process::Command};

use common::{GATE, err, folder, out, pravah};
use serde_json::{Value, json};

#[test]
fn a_run_that_waits_is_kept_and_resumes() {
    let folder = folder(&[("ask.yaml", GATE)]);
    let arguments = ["run", "ask.yaml", "--json", "--state", "run.json"];
    let output = pravah(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    assert!(err(&output).contains("waits for an answer to `ask`: Go on?"));
    let kept = fs::read_to_string(folder.path().join("run.json")).unwrap();
    assert!(kept.contains("\"before\""));
    let again = pravah(folder.path(), &arguments);
    assert_eq!(again.status.code(), Some(3));
    let result: Value = serde_json::from_str(&out(&again)).unwrap();
    assert_eq!(result["status"], "suspended");
    assert_eq!(result["outputs"]["a"], json!({ "text": "before" }));
    assert_eq!(result["questions"][0]["id"], "ask");
    assert_eq!(result["questions"][0]["question"]["prompt"], "Go on?");

    let answered: Vec<&str> = arguments
        .into_iter()
        .chain(["--answer", "ask=no"])
        .collect();
    let output = pravah(folder.path(), &answered);
    assert!(output.status.success(), "{}", err(&output));
    let result: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(result["outputs"]["ask"]["response"]["choice"], "no");
    assert!(!folder.path().join("run.json").exists());
}

#[test]
fn a_gate_with_a_timeout_is_kept_and_answered_by_another_process() {
    let text = "
flow: { name: slow }
nodes: [{ id: ask, type: control.gate, input: { prompt: Go on? }, policy: { timeoutMs: 600000 } }]
edges: []
";
    let folder = folder(&[("slow.yaml", text)]);
    let arguments = ["run", "slow.yaml", "--state", "run.json"];
    assert_eq!(pravah(folder.path(), &arguments).status.code(), Some(3));
    let answered = pravah(
        folder.path(),
        &[&arguments[..], &["--answer", "ask=yes"]].concat(),
    );
    assert!(answered.status.success(), "{}", err(&answered));
}

#[test]
fn one_process_at_a_time_resumes_with_a_kept_run() {
    let folder = folder(&[("ask.yaml", GATE)]);
    let arguments = ["run", "ask.yaml", "--state", "run.json"];
    let lock = fs::File::create(folder.path().join("run.json.lock")).unwrap();
    lock.lock().unwrap();
    let output = pravah(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    let said = err(&output);
    assert!(said.contains("another process is using the run"), "{said}");
    drop(lock);
    assert_eq!(pravah(folder.path(), &arguments).status.code(), Some(3));
}

#[test]
fn what_a_kept_run_cannot_take_is_refused() {
    let folder = folder(&[("ask.yaml", GATE)]);
    let arguments = ["run", "ask.yaml", "--state", "run.json"];
    let with = |more: [&str; 2]| {
        let arguments: Vec<&str> = arguments.into_iter().chain(more).collect();
        let output = pravah(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(1));
        err(&output)
    };
    let nothing = with(["--answer", "ask=no"]);
    assert!(
        nothing.contains("there is no run in `run.json` to answer"),
        "{nothing}"
    );
    assert_eq!(pravah(folder.path(), &arguments).status.code(), Some(3));
    for more in [["--input", "a=1"], ["--id", "other"]] {
        let refused = with(more);
        assert!(refused.contains("was started already"), "{refused}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_kept() {
    let folder = folder(&[("ask.yaml", GATE)]);
    let run = |arguments: &str| {
        let script = format!(
            "{} run ask.yaml --state run.json {arguments}",
            env!("CARGO_BIN_EXE_pravah")
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).current_dir(folder.path());
        shell.output().unwrap()
    };
    assert_eq!(run("").status.code(), Some(3));
    let full = run("--answer ask=yes > /dev/full");
    assert_eq!(full.status.code(), Some(1));
    assert!(
        err(&full).contains("the output cannot be written"),
        "{}",
        err(&full)
    );
    assert!(folder.path().join("run.json").is_file());
    let again = run("--json");
    let result: Value = serde_json::from_str(&out(&again)).unwrap();
    assert_eq!(result["outputs"]["ask"]["response"]["choice"], "yes");
    assert!(!folder.path().join("run.json").exists());
}

#[test]
fn what_is_no_file_is_refused_before_the_run() {
    let folder = folder(&[("ask.yaml", GATE)]);
    fs::create_dir(folder.path().join("runs")).unwrap();
    let output = pravah(folder.path(), &["run", "ask.yaml", "--state", "runs"]);
    assert_eq!(output.status.code(), Some(1));
    let expected = "error: `runs` is not a regular file: a run cannot be kept in it\n";
    assert_eq!(err(&output), expected);
}

#[cfg(unix)]
#[test]
fn a_link_leads_to_the_kept_run() {
    let folder = folder(&[("ask.yaml", GATE)]);
    pravah(folder.path(), &["run", "ask.yaml", "--state", "run.json"]);
    std::os::unix::fs::symlink("run.json", folder.path().join("link.json")).unwrap();
    let arguments = ["run", "ask.yaml", "--state", "link.json"];
    assert_eq!(pravah(folder.path(), &arguments).status.code(), Some(3));
    let link = folder.path().join("link.json");
    assert!(fs::symlink_metadata(link).unwrap().is_symlink());
    let answered = pravah(
        folder.path(),
        &[&arguments[..], &["--answer", "ask=no"]].concat(),
    );
    assert!(answered.status.success(), "{}", err(&answered));
    assert!(!folder.path().join("run.json").exists());
}

#[test]
fn a_run_that_came_to_its_end_with_failures_is_not_kept() {
    let fails = "
flow: { name: fails, policy: { failFast: false } }
nodes: [{ id: a, type: control.fail, input: { message: no } }]
edges: []
";
    let folder = folder(&[("fails.yaml", fails)]);
    let output = pravah(folder.path(), &["run", "fails.yaml", "--state", "run.json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(!folder.path().join("run.json").exists());
}

#[cfg(unix)]
#[test]
fn a_link_may_lead_to_a_run_that_is_not_there_yet() {
    let folder = folder(&[("ask.yaml", GATE)]);
    let link = folder.path().join("link.json");
    std::os::unix::fs::symlink("run.json", &link).unwrap();
    pravah(folder.path(), &["run", "ask.yaml", "--state", "link.json"]);
    assert!(fs::symlink_metadata(link).unwrap().is_symlink());
    assert!(folder.path().join("run.json").is_file());
}
