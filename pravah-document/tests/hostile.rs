//! Documents that mean no good: never a panic, and always an answer in time.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::{fmt::Write, sync::LazyLock};

use proptest::prelude::*;

use pravah_document::{Catalogue, Options, read, read_bytes};
use serde_json::json;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(Catalogue::standard);

/// What `read` finds. What takes more than linear time does not end here.
fn codes(text: &str) -> Vec<&'static str> {
    match read("hostile.yaml", text, &Options::new(&CATALOGUE)) {
        Ok(_) => Vec::new(),
        Err(problems) => {
            assert!(!problems.to_string().is_empty());
            problems.iter().map(|problem| problem.code).collect()
        }
    }
}

/// A number of nodes: all of them where the code is optimised.
fn many(count: usize) -> usize {
    if cfg!(debug_assertions) {
        count / 10
    } else {
        count
    }
}

fn document(nodes: &str, edges: &str) -> String {
    format!("flow: {{ name: f }}\nnodes:\n{nodes}\nedges:\n{edges}\n")
}

fn echoes(count: usize, text: impl Fn(usize) -> String) -> String {
    let mut nodes = String::new();
    for index in 0..count {
        writeln!(
            nodes,
            "- {{ id: n{index}, type: echo, input: {{ text: \"{}\" }} }}",
            text(index)
        )
        .unwrap();
    }
    nodes
}

fn edges(pairs: impl Iterator<Item = (usize, usize)>) -> String {
    let mut edges = String::new();
    for (from, to) in pairs {
        writeln!(edges, "- {{ from: n{from}, to: n{to} }}").unwrap();
    }
    edges
}

#[test]
fn aliases_do_not_explode() {
    let mut text = String::from(
        "flow: { name: f }\nedges: []\nnodes:\n- &a0 [x, x, x, x, x, x, x, x, x, x]\n",
    );
    for level in 1..30 {
        let items = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(text, "- &a{level} [{items}]").unwrap();
    }
    assert!(codes(&text).contains(&"alias"));
    let quotes = format!(
        "flow: &a {{ name: {} }}\nnodes: [{}]\nedges: []",
        "x".repeat(100_000),
        vec!["*a"; 100_000].join(", ")
    );
    assert!(codes(&quotes).contains(&"alias"));
}

#[test]
fn deep_nesting_is_refused() {
    for text in [
        "[".repeat(100_000),
        "{".repeat(100_000),
        "- ".repeat(100_000),
        "{\"a\":".repeat(100_000),
        "? ".repeat(100_000),
        (0..5_000).fold(String::new(), |text, depth| {
            text + &" ".repeat(depth) + "a:\n"
        }),
        format!("flow: {}", "{a: [".repeat(50_000)),
    ] {
        assert!(!codes(&text).is_empty());
    }
}

#[test]
fn what_is_too_large_is_refused() {
    assert_eq!(codes(&"# x\n".repeat(5 << 20)), ["too-large"]);
}

#[test]
fn megabytes_take_no_time_to_speak_of() {
    let line = "x".repeat(many(10 << 20));
    assert!(!codes(&line).is_empty());
    assert_eq!(
        codes(&document(&echoes(1, |_| line.clone()), "[]").replace("edges:\n[]", "edges: []")),
        [""; 0]
    );
    assert!(!codes(&"a: b\n".repeat(many(2 << 20))).is_empty());
    assert!(!codes(&"{{ x }}, ".repeat(many(1 << 20))).is_empty());
    let bindings = document(&echoes(1, |_| "{{ x }}".repeat(200_000)), "");
    assert!(!codes(&bindings).is_empty());
}

#[test]
fn a_long_chain_is_checked() {
    let count = many(100_000);
    let back = |index: usize| {
        if index == 0 {
            String::new()
        } else {
            format!("{{{{ n{}.text }}}}", index - 1)
        }
    };
    let text = document(
        &echoes(count, back),
        &edges((1..count).map(|to| (to - 1, to))),
    );
    assert_eq!(codes(&text), [""; 0]);
}

#[test]
fn bindings_to_far_ancestors_are_checked() {
    let count = many(20_000);
    let far = |index: usize| {
        if index < count / 2 {
            String::new()
        } else {
            format!("{{{{ n{}.text }}}}", index - count / 2)
        }
    };
    let text = document(
        &echoes(count, far),
        &edges((1..count).map(|to| (to - 1, to))),
    );
    assert_eq!(codes(&text), [""; 0]);
}

#[test]
fn a_large_cycle_is_named_in_short() {
    let count = many(50_000);
    let text = document(
        &echoes(count, |_| String::new()),
        &edges((0..count).map(|from| (from, (from + 1) % count))),
    );
    assert_eq!(codes(&text), ["cycle"]);
}

#[test]
fn many_unknown_names_are_reported() {
    let count = many(20_000);
    let nodes = echoes(count, |index| format!("{{{{ m{index}.text }}}}"));
    let text = document(&nodes, &edges((0..count).map(|from| (from, from + count))));
    let codes = codes(&text);
    assert_eq!(codes.len(), (2 * count).min(10_000));
}

#[test]
fn bodies_within_bodies_have_an_end() {
    let mut nodes = String::new();
    for index in 0..20_000 {
        writeln!(
            nodes,
            "- {{ id: n{index}, type: control.foreach, input: {{ list: [1], body: [n{}] }} }}",
            index + 1
        )
        .unwrap();
    }
    nodes.push_str("- { id: n20000, type: echo, input: { text: \"{{ item }}\" } }");
    let text = document(&nodes, "").replace("edges:\n", "edges: []\n");
    assert_eq!(codes(&text), ["too-deep"]);
}

#[test]
fn loops_within_loops_have_an_end() {
    let count = 3_000;
    let mut all = edges((1..count).map(|to| (to - 1, to)));
    for index in 0..count / 2 {
        writeln!(
            all,
            "- {{ from: n{}, to: n{index}, type: loop, maxIterations: 1 }}",
            count - 1 - index
        )
        .unwrap();
    }
    let codes = codes(&document(&echoes(count, |_| String::new()), &all));
    assert!(
        codes.contains(&"too-deep") || codes.contains(&"loop-region"),
        "{codes:?}"
    );
}

#[test]
fn messages_do_not_repeat_what_is_long() {
    let long = "x".repeat(100_000);
    let wrong = vec!["1"; 10_000].join(", ");
    for node in [
        format!(
            "- {{ id: {long}, type: echo, input: {{ text: \"{}\" }} }}",
            "{{ y }}".repeat(10_000)
        ),
        format!(
            "- {{ id: a, type: system.metrics, input: {{ name: a, value: 1, tags: {{ {long}: [{wrong}] }} }} }}"
        ),
        format!("- {{ id: a, type: data.merge, input: {{ objects: [{wrong}] }} }}"),
        format!(
            "- {{ {} }}",
            (0..10_000).fold(String::new(), |keys, index| keys
                + &format!("k{index}: 1, "))
        ),
    ] {
        let text = document(&node, "").replace("edges:\n", "edges: []\n");
        let problems =
            read("hostile.yaml", &text, &Options::new(&CATALOGUE)).expect_err("it is wrong");
        let longest = problems.iter().map(|problem| problem.message.len()).max();
        assert!(longest.unwrap() < 1_000 && problems.to_string().len() < 300_000);
    }
}

#[test]
fn a_switch_with_many_routes_is_checked() {
    let count = many(20_000);
    let mut cases = String::new();
    let mut all = String::new();
    for index in 0..count {
        write!(cases, "{{ when: {index}, route: r{index} }}, ").unwrap();
        writeln!(
            all,
            "- {{ from: s, to: n{index}, when: {{ equals: {{ var: s.route, value: r{index} }} }} }}"
        )
        .unwrap();
    }
    let nodes = echoes(count, |_| String::new());
    let switch =
        format!("- {{ id: s, type: control.switch, input: {{ value: 1, cases: [{cases}] }} }}\n");
    assert_eq!(codes(&document(&(switch + &nodes), &all)), [""; 0]);
}

/// Documents of a few nodes, most of them wrong.
fn any_document() -> impl Strategy<Value = String> {
    let name = || prop_oneof![Just("a"), Just("b"), Just("c"), Just("each"), Just("s")];
    let kind = prop_oneof![
        Just("echo"),
        Just("control.merge"),
        Just("control.foreach"),
        Just("control.loop"),
        Just("control.switch"),
        Just("agent.run"),
        Just("nothing"),
    ];
    let input = (name(), name()).prop_map(|(one, other)| {
        format!(
            "{{ text: \"{{{{ {one}.x }}}} {{{{ ?{other}.y }}}}\", mode: any, list: [1], while: {{ exists: {{ var: {one} }} }}, \
             body: [{one}, {other}], value: 1, cases: [{{ when: 1, route: {one} }}], input: 1, condition: true }}"
        )
    });
    let trimmed = prop_oneof![
        input,
        name().prop_map(|name| format!("{{ text: \"{{{{ {name}.text }}}}\" }}")),
        name().prop_map(|name| format!("{{ list: [1], body: [{name}] }}")),
        name().prop_map(|name| format!("{{ while: true, body: [{name}] }}")),
        Just("{ mode: any }".to_owned()),
    ];
    let node = (name(), kind, trimmed)
        .prop_map(|(id, kind, input)| format!("- {{ id: {id}, type: {kind}, input: {input} }}\n"));
    let looped = prop_oneof![
        Just(""),
        Just(", type: loop, maxIterations: 2"),
        Just(", on: failure")
    ];
    let edge = (name(), name(), looped)
        .prop_map(|(from, to, rest)| format!("- {{ from: {from}, to: {to}{rest} }}\n"));
    let several = |one| prop::collection::vec(one, 0..8).prop_map(|all: Vec<String>| all.concat());
    (several(node.boxed()), several(edge.boxed()))
        .prop_map(|(nodes, edges)| document(&nodes, &edges))
}

fn check(bytes: &[u8]) {
    for name in ["x.yaml", "x.json"] {
        if let Err(problems) = read_bytes(name, bytes, &Options::new(&CATALOGUE)) {
            assert!(!problems.to_string().is_empty());
            for problem in &problems {
                assert!(
                    problem.span.start <= problem.span.end && problem.span.end <= bytes.len(),
                    "{problem:?}"
                );
            }
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        check(&bytes);
    }

    #[test]
    fn no_text_makes_it_panic(text in r#"([\[\]{}:,&*!|>'"%@`?#~ \-\n\t]|flow|nodes|edges|id|type|\PC){0,40}"#) {
        check(text.as_bytes());
    }

    #[test]
    fn no_document_makes_it_panic(text in any_document()) {
        check(text.as_bytes());
    }

    #[test]
    fn no_cut_makes_it_panic(text in any_document(), at: prop::sample::Index, byte: u8) {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        check(bytes.get(..at).expect("it is within"));
        bytes.insert(at, byte);
        check(&bytes);
    }
}

#[test]
fn alternatives_within_alternatives_have_an_end() {
    let schema = json!({ "anyOf": [{ "$ref": "#" }, { "$ref": "#" }, false] });
    pravah_document::violations(&schema, &json!(1));
    let schema = json!({ "oneOf": [{ "$ref": "#" }, { "$ref": "#" }] });
    pravah_document::violations(&schema, &json!(1));
}
