//! How the text of a document is read.

use super::*;

/// JSON is YAML, and is read the same whatever the file is called.
#[test]
fn json_is_accepted_as_it_is() {
    let text = json!({
        "flow": { "name": "f", "version": "2.1", "description": "d", "policy": { "failFast": false } },
        "nodes": [{ "id": "a", "type": "constant", "input": { "value": { "k".repeat(3_000): "\u{7f}" } } }],
        "edges": [],
    });
    let catalogue = Catalogue::standard();
    for name in ["f.json", "f.yaml", "f"] {
        for text in [text.to_string(), format!("\u{feff}{text:#}")] {
            let document = read(name, &text, &Options::new(&catalogue))
                .unwrap_or_else(|problems| panic!("{problems}"));
            assert_eq!(
                (document.version.as_str(), document.fail_fast),
                ("2.1", false)
            );
        }
    }
}

#[test]
fn words_without_quotes_are_those_of_yaml_1_2() {
    let document =
        load("flow: { name: no, input: { a: no, b: 0o17, c: ~, d: 1e3 } }\nnodes: []\nedges: []");
    assert_eq!(document.name, "no");
    assert_eq!(
        document.input,
        json!({ "a": "no", "b": 15, "c": null, "d": 1000.0 })
    );
}

#[test]
fn anchors_may_be_repeated() {
    let document = load(
        "flow: { name: f }\nnodes:\n- id: a\n  type: echo\n  input: &text { text: x }\n- { id: b, type: echo, input: *text }\nedges: []",
    );
    assert_eq!(outline(&document.graph), "a b; ");
}

/// B19.
#[test]
fn all_problems_come_together_in_the_order_of_their_places() {
    let text = "flow: { nam: f }\nnodes:\n- { id: 9a, type: ehco, input: {} }\n- { id: b, type: echo }\nedges: [{ from: b, to: c }]";
    assert_eq!(
        codes(text),
        [
            "missing-key",
            "unknown-key",
            "invalid-id",
            "unknown-type",
            "missing-key",
            "unknown-node"
        ]
    );
    assert_eq!(codes("flow: { name: f }\nnodes: []\nedges: []"), [""; 0]);
}

#[test]
fn bytes_that_are_no_text_are_a_problem() {
    let catalogue = Catalogue::standard();
    let problems =
        read_bytes("f.yaml", b"flow:\n  \xff", &Options::new(&catalogue)).expect_err("no text");
    let first = problems.iter().next().unwrap();
    assert_eq!((first.code, first.line, first.column), ("not-utf8", 2, 3));
}

#[test]
fn a_version_is_what_is_written() {
    for (written, version) in [("1.10", "1.10"), ("2", "2"), ("\"2.0\"", "2.0")] {
        let document = load(&format!(
            "flow: {{ name: f, version: {written} }}\nnodes: []\nedges: []"
        ));
        assert_eq!(document.version, version);
    }
}

/// `serde_json` would read an object with such a key as something else.
#[test]
fn no_key_is_read_as_another_text() {
    for text in [
        r#"{"flow": {"name": "f", "input": {"$serde_json::private::RawValue": "[1]"}}, "nodes": [], "edges": []}"#,
        "flow: { name: f, input: { \"\\x24serde_json::private::Number\": 1 } }\nnodes: []\nedges: []",
    ] {
        assert_eq!(codes(text), ["key"]);
    }
}

#[test]
fn merge_keys_are_explained() {
    let text =
        "flow: { name: f }\nnodes: [{ <<: x, id: a, type: echo, input: { text: x } }]\nedges: []";
    let catalogue = Catalogue::standard();
    let problems = read("f.yaml", text, &Options::new(&catalogue))
        .map_or_else(|problems| problems, |_| panic!("it is read"));
    let help = problems
        .iter()
        .next()
        .and_then(|problem| problem.help.as_deref());
    assert_eq!(
        help,
        Some("YAML 1.2 has no merge keys; an alias repeats a whole value")
    );
}
