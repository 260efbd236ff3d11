//! The command line, as a process.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that fails is a test that fails"
)]

mod common;

use std::{fs, path::Path, process::Command};

use common::{GATE, err, examples, folder, out, pravah};
use serde_json::{Value, json};

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

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_error_does_not_change_the_exit_code() {
    let folder = folder(&[("wrong.yaml", "flow: {}\n")]);
    let script = format!(
        "{} check wrong.yaml 2> /dev/full",
        env!("CARGO_BIN_EXE_pravah")
    );
    let mut shell = Command::new("sh");
    let output = shell
        .args(["-c", &script])
        .current_dir(folder.path())
        .output();
    assert_eq!(output.unwrap().status.code(), Some(1));
}

const SHOW: &str = "
flow: { name: show, input: { n: 1 } }
nodes: [{ id: a, type: constant, input: { value: '{{ flow.input.n }}' } }]
edges: []
";

#[test]
fn keys_that_serde_json_reserves_are_read_as_they_are_written() {
    let written = r#"{ "n": { "\u0024serde_json::private::RawValue": "5" } }"#;
    let folder = folder(&[("show.yaml", SHOW), ("in.json", written)]);
    let arguments = ["run", "show.yaml", "--json", "--input-file", "in.json"];
    let output = pravah(folder.path(), &arguments);
    let text = out(&output) + &err(&output);
    assert!(text.contains("serde_json::private"), "{text}");
    assert!(
        !text.contains(r#""value":"5""#) && !text.contains(r#""value":5"#),
        "{text}"
    );
}

#[test]
fn an_input_file_may_start_with_a_byte_order_mark() {
    let folder = folder(&[("show.yaml", SHOW), ("in.json", "\u{feff}{ \"n\": 5 }")]);
    let arguments = ["run", "show.yaml", "--json", "--input-file", "in.json"];
    let result: Value = serde_json::from_str(&out(&pravah(folder.path(), &arguments))).unwrap();
    assert_eq!(result["outputs"]["a"]["value"], json!(5));
}
