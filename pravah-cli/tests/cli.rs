//! The command line, as a process.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that fails is a test that fails"
)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::{Value, json};
use tempfile::TempDir;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/documents")
}

fn pravah(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pravah"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

const GATE: &str = "
flow: { name: ask }
nodes:
  - { id: a, type: echo, input: { text: before } }
  - { id: ask, type: control.gate, input: { prompt: 'Go on?', choices: ['yes', 'no'] } }
edges: [{ from: a, to: ask }]
";

#[test]
fn a_run_prints_what_came_of_it_as_json() {
    let output = pravah(&examples(), &["run", "05-health.yaml", "--json"]);
    assert!(output.status.success(), "{}", err(&output));
    let result: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(result["status"], "complete");
    assert_eq!(
        result["outputs"]["report"],
        json!({ "text": "payments failed: true" })
    );
    assert_eq!(result["outputs"]["ping_search"]["reason"], "when");
    assert!(result["durationMs"].is_u64());
}

#[test]
fn values_of_the_input_are_put_over_those_of_the_document() {
    let arguments = [
        "run",
        "05-health.yaml",
        "--json",
        "--input",
        "services.auth.enabled=false",
    ];
    let output = pravah(&examples(), &arguments);
    let result: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(result["outputs"]["ping_auth"]["reason"], "when");
    assert_eq!(result["outputs"]["auth_enabled"], json!({ "value": false }));
}

#[test]
fn a_check_says_all_problems_at_once_with_their_places() {
    let broken = "
flow: { name: broken }
nodes:
  - { id: a, type: ecko, input: {} }
edges: [{ from: a, to: b }]
";
    let folder = folder(&[("broken.yaml", broken)]);
    let output = pravah(folder.path(), &["check", "broken.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    let text = err(&output);
    assert!(out(&output).is_empty());
    for part in [
        "broken.yaml:4:20",
        "did you mean `echo`?",
        "broken.yaml:5:24",
        "2 problems",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let output = pravah(&examples(), &["check", "05-health.yaml"]);
    assert!(output.status.success());
}

#[test]
fn a_failure_is_a_result_and_an_exit_code() {
    let fails = "
flow: { name: fails }
nodes: [{ id: a, type: control.fail, input: { message: no tea } }]
edges: []
";
    let folder = folder(&[("fails.yaml", fails)]);
    let output = pravah(folder.path(), &["run", "fails.yaml", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let result: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(result["status"], "failed");
    assert_eq!(result["outputs"]["a"]["error"]["message"], "no tea");
    assert!(err(&output).contains("node `a` failed: no tea"));
}

#[test]
fn a_run_that_waits_is_kept_and_goes_on() {
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
fn the_commands_of_the_lessons_print_what_their_page_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/lessons.md")).unwrap();
    let commands = page.split("$ pravah ").skip(1);
    let mut count = 0;
    for command in commands {
        let command = command.split("```").next().unwrap();
        let (arguments, printed) = command.split_once('\n').unwrap();
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let output = pravah(&root, &arguments);
        assert_eq!(out(&output).trim_end(), printed.trim_end(), "{arguments:?}");
        count += 1;
    }
    assert_eq!(count, 8);
}

#[test]
fn an_input_path_into_a_list_is_refused() {
    let text = "\
flow: { name: list, input: { files: [{ name: a }] } }
nodes: []
edges: []
";
    let folder = folder(&[("list.yaml", text)]);
    let output = pravah(
        folder.path(),
        &["run", "list.yaml", "--input", "files.0.name=b"],
    );
    let said = err(&output);
    assert!(
        said.contains("`files` is a list, of which no single item can be set"),
        "{said}"
    );
}

#[test]
fn an_input_path_into_an_input_that_is_a_list_is_refused() {
    let text = "flow: { name: list, input: [1] }\nnodes: []\nedges: []\n";
    let folder = folder(&[("list.yaml", text)]);
    let said = err(&pravah(
        folder.path(),
        &["run", "list.yaml", "--input", "0=2"],
    ));
    assert!(said.contains("the input is a list"), "{said}");
}

#[test]
fn a_concurrency_of_zero_is_refused() {
    let arguments = ["run", "01-hello.yaml", "--concurrency", "0"];
    assert_eq!(pravah(&examples(), &arguments).status.code(), Some(2));
}

#[test]
fn an_input_that_is_no_object_is_there_unless_another_is_given() {
    let text = "\
flow: { name: list, input: [1, 2] }
nodes: [{ id: a, type: constant, input: { value: '{{ flow.input }}' } }]
edges: []
";
    let folder = folder(&[("list.yaml", text)]);
    let output = pravah(folder.path(), &["run", "list.yaml", "--json"]);
    let result: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(result["outputs"]["a"]["value"], json!([1, 2]));
}

#[test]
fn one_process_at_a_time_goes_on_with_a_kept_run() {
    let folder = folder(&[("ask.yaml", GATE)]);
    let arguments = ["run", "ask.yaml", "--state", "run.json"];
    let lock = fs::File::create(folder.path().join("run.json.lock")).unwrap();
    lock.lock().unwrap();
    let output = pravah(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    let said = err(&output);
    assert!(
        said.contains("another process goes on with the run"),
        "{said}"
    );
    drop(lock);
    assert_eq!(pravah(folder.path(), &arguments).status.code(), Some(3));
}

#[test]
fn what_is_probably_a_mistake_is_said_and_no_error() {
    let text = "\
flow: { name: slip }
nodes:
  - { id: a, type: echo, input: { text: hello } }
  - { id: b, type: echo, input: { text: '{{ a.txt | default: \"\" }}' } }
edges: [{ from: a, to: b }]
";
    let folder = folder(&[("slip.yaml", text)]);
    let output = pravah(folder.path(), &["check", "slip.yaml"]);
    assert!(output.status.success());
    let said = err(&output);
    assert!(said.contains("the output of `a` has no `txt`"), "{said}");
    assert!(said.contains("help: did you mean `text`?"), "{said}");
    assert!(
        said.ends_with("slip.yaml: 1 warning\nslip.yaml: ok\n"),
        "{said}"
    );
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

#[test]
fn two_flows_of_one_name_are_refused() {
    let configuration = "flows = [\"ask.yaml\", \"too.yaml\"]\n";
    let folder = folder(&[
        ("ask.yaml", GATE),
        ("too.yaml", GATE),
        ("pravah.toml", configuration),
    ]);
    let output = pravah(folder.path(), &["check", "ask.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    let said = err(&output);
    assert!(said.contains("two of the `flows` are called"), "{said}");
}

#[test]
fn the_configuration_says_what_documents_may_use() {
    let document = "
flow: { name: loud }
nodes: [{ id: a, type: tutorial.uppercase, input: { text: tea } }]
edges: []
";
    let files = [
        ("loud.yaml", document),
        ("pravah.toml", "packs = [\"core\"]\n"),
    ];
    let folder = folder(&files);
    let output = pravah(folder.path(), &["check", "loud.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(err(&output).contains("tutorial"), "{}", err(&output));

    fs::write(folder.path().join("pravah.toml"), "pakcs = []\n").unwrap();
    let output = pravah(folder.path(), &["check", "loud.yaml"]);
    let text = err(&output);
    assert!(text.contains("pakcs") && text.contains("packs"), "{text}");
}

#[test]
fn subflows_are_documents_that_the_configuration_names() {
    let inner = "
flow: { name: greet, input: { name: World } }
nodes: [{ id: hello, type: echo, input: { text: 'Hello, {{ flow.input.name }}!' } }]
edges: []
";
    let outer = "
flow: { name: outer }
nodes:
  - { id: call, type: control.subflow, input: { name: greet, input: { name: Ada } } }
  - { id: after, type: echo, input: { text: '{{ call.outputs.hello.text }}' } }
edges: [{ from: call, to: after }]
";
    let files = [
        ("greet.yaml", inner),
        ("outer.yaml", outer),
        ("pravah.toml", "flows = [\"greet.yaml\"]\n"),
    ];
    let folder = folder(&files);
    let output = pravah(folder.path(), &["run", "outer.yaml", "--json"]);
    assert!(output.status.success(), "{}", err(&output));
    let result: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(result["outputs"]["after"], json!({ "text": "Hello, Ada!" }));
}

#[test]
fn documents_are_drawn_and_types_are_shown() {
    let output = pravah(&examples(), &["graph", "05-health.yaml"]);
    let text = out(&output);
    assert!(
        text.contains("flowchart") && text.contains("ping_auth"),
        "{text}"
    );
    let output = pravah(&examples(), &["graph", "05-health.yaml", "--format", "dot"]);
    assert!(out(&output).starts_with("digraph"));
    let output = pravah(&examples(), &["nodes"]);
    assert!(out(&output).contains("control.foreach"));
    let output = pravah(&examples(), &["nodes", "echo"]);
    assert!(out(&output).contains("input: {"));
    let output = pravah(&examples(), &["nodes", "ecko"]);
    assert_eq!(output.status.code(), Some(1));
    let output = pravah(&examples(), &["schema"]);
    let schema: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(schema["title"], "Pravah flow document");
}
