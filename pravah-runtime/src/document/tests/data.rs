//! `data.*` but what reads bindings of its own.

use super::*;

async fn reduced(op: &str, list: Value, initial: Option<Value>) -> Value {
    let mut input = json!({ "list": list, "op": op });
    if let Some(initial) = initial {
        input["initial"] = initial;
    }
    output("data.reduce", input).await["value"].clone()
}

// P11
#[tokio::test]
async fn a_list_is_reduced() {
    let big = 9_007_199_254_740_993_u64;
    for (op, list, initial, expected) in [
        ("sum", json!([1, 2, 3]), None, json!(6)),
        ("sum", json!([big, 1]), None, json!(big + 1)),
        ("sum", json!([1, 0.5]), Some(json!(-1)), json!(0.5)),
        ("sum", json!([]), None, json!(0)),
        ("count", json!(["a", null]), None, json!(2)),
        ("count", json!(["a"]), Some(json!(4)), json!(5)),
        ("concat", json!(["b", "c"]), Some(json!("a")), json!("abc")),
        ("concat", json!([[1], [2, 3]]), None, json!([1, 2, 3])),
        ("concat", json!([]), None, json!("")),
        ("concat", json!([]), Some(json!([1])), json!([1])),
        (
            "merge",
            json!([{ "a": 1 }, { "a": 2 }]),
            Some(json!({ "b": 0 })),
            json!({ "a": 2, "b": 0 }),
        ),
        ("min", json!([3, 1.5, 2]), None, json!(1.5)),
        ("max", json!([big - 1, big]), None, json!(big)),
        ("max", json!(["2026-01", "2025-12"]), None, json!("2026-01")),
        ("min", json!([]), Some(json!(7)), json!(7)),
    ] {
        assert_eq!(
            reduced(op, list.clone(), initial).await,
            expected,
            "{op} {list}"
        );
    }
}

#[tokio::test]
async fn a_list_that_cannot_be_reduced_says_why() {
    for (op, list, expected) in [
        (
            "sum",
            json!([1, "2"]),
            "item 1 is a string, and has to be a number",
        ),
        (
            "concat",
            json!([[1], 2]),
            "item 1 is a number, and has to be a list",
        ),
        (
            "concat",
            json!(["a", 2]),
            "item 1 is a number, and has to be a string",
        ),
        (
            "merge",
            json!([1]),
            "item 0 is a number, and has to be an object",
        ),
        (
            "max",
            json!([]),
            "`list` is empty, and there is no `initial`",
        ),
        (
            "max",
            json!([1, "a"]),
            "item 1 cannot be compared with those before it",
        ),
        (
            "min",
            json!([true]),
            "item 0 is a boolean, and has to be a number or a string",
        ),
    ] {
        let (kind, message) = failure("data.reduce", json!({ "list": list, "op": op })).await;
        assert_eq!((&*kind, &*message), ("data", expected));
    }
}

// B11
#[tokio::test]
async fn objects_are_merged_and_picked_from() {
    let objects = json!({ "objects": [{ "a": 1, "b": { "x": 1 } }, { "b": { "y": 2 } }] });
    let merged = output("data.merge", objects).await;
    assert_eq!(merged, json!({ "object": { "a": 1, "b": { "y": 2 } } }));
    let object = json!({ "a": 1, "b": 2 });
    let picked = output("data.pick", json!({ "object": object, "keys": ["a", "c"] })).await;
    assert_eq!(picked, json!({ "object": { "a": 1 } }));
}

// S4.47
#[tokio::test]
async fn all_of_a_long_list_is_checked() {
    let mut objects = vec![json!({ "a": 1 }); 150_000];
    objects.push(json!(5));
    let (kind, message) = failure("data.merge", json!({ "objects": objects })).await;
    assert_eq!(kind, "data");
    assert!(message.contains("`objects[150000]`"), "{message}");
}

// B11
#[tokio::test]
async fn a_value_is_set_and_what_leads_to_it_is_made() {
    for (object, path, expected) in [
        (json!({}), "x.y", json!({ "x": { "y": 7 } })),
        (
            json!({ "x": { "z": 1 } }),
            "x.y",
            json!({ "x": { "y": 7, "z": 1 } }),
        ),
        (json!({ "x": [1, 2] }), "x.1", json!({ "x": [1, 7] })),
        (json!({ "x": [1] }), "x.1", json!({ "x": [1, 7] })),
        (json!({}), "x.0.y", json!({ "x": [{ "y": 7 }] })),
        (json!({ "x": null }), "x.y", json!({ "x": { "y": 7 } })),
        (
            json!({ "x": { "0": 1 } }),
            "x.0",
            json!({ "x": { "0": 7 } }),
        ),
        (json!({ "x": 1 }), "x", json!({ "x": 7 })),
    ] {
        let input = json!({ "object": object, "path": path, "value": 7 });
        assert_eq!(
            output("data.set", input).await,
            json!({ "object": expected }),
            "{path}"
        );
    }
    for (object, path, expected) in [
        (
            json!({ "x": 1 }),
            "x.y",
            "`x.y`: there is no `y` in a number",
        ),
        (
            json!({ "x": [1] }),
            "x.3",
            "`x.3`: there is no item 3 in a list of 1",
        ),
        (json!({ "x": [] }), "x.y", "`x.y`: `y` is not an index"),
        (json!({}), "x..y", "a segment of the path `x..y` is empty"),
    ] {
        let input = json!({ "object": object, "path": path, "value": 7 });
        let (kind, message) = failure("data.set", input).await;
        assert_eq!((&*kind, &*message), ("data", expected));
    }
}

#[tokio::test]
async fn a_path_cannot_nest_deeper_than_a_snapshot_can_carry() {
    let nested = "what it returned does not fit: the value is nested too deeply";
    let long = "the path has more than 128 segments";
    for (segments, expected) in [(128, nested), (500, long), (100_000, long)] {
        let path = vec!["x"; segments].join(".");
        let input = json!({ "object": {}, "path": path, "value": 7 });
        let (_, message) = failure("data.set", input).await;
        assert_eq!(message, expected);
    }
}

// B11
#[tokio::test]
async fn what_is_written_as_json_is_read_again() {
    let value = json!({ "a": [1, 1.5, "ä\n", null] });
    let written = output("data.json.stringify", json!({ "value": value })).await;
    let read = output("data.json.parse", written).await;
    assert_eq!(read, json!({ "value": value }));
    let (kind, message) = failure("data.json.parse", json!({ "text": "{ a: 1 }" })).await;
    assert_eq!(kind, "data");
    assert!(
        message.starts_with("`text` is not valid JSON: key must be a string"),
        "{message}"
    );
}

#[tokio::test]
async fn json_that_a_run_cannot_carry_is_refused_at_once() {
    let deep = format!("{}{}", "[".repeat(80), "]".repeat(80));
    let reserved = r#"{ "$serde_json::private::RawValue": "1" }"#;
    for (text, expected) in [
        (&*deep, "`text` is nested too deeply"),
        (reserved, "`text` is JSON with a key that starts with"),
    ] {
        let (kind, message) = failure("data.json.parse", json!({ "text": text })).await;
        assert_eq!(kind, "data");
        assert!(message.starts_with(expected), "{message}");
    }
}

// B11
#[tokio::test]
async fn all_that_does_not_fit_a_schema_is_said() {
    let schema = json!({
        "type": "object",
        "properties": { "cents": { "type": "integer", "minimum": 1 } },
        "required": ["name", "cents"],
    });
    let registry = NodeRegistry::standard().with_schema("order", schema.clone());
    for schema in [schema.clone(), json!(schema.to_string()), json!("order")] {
        let input = json!({ "value": { "cents": 0 }, "schema": schema });
        let document = document(graph(vec![node("n", "data.validate", input)], &[]));
        let flow = DocumentFlow::of(document, &registry).unwrap();
        let done = restored(&flow, json!({})).await.unwrap();
        let errors = ["the value has no `name`", "`cents` is less than 1"];
        assert_eq!(
            done.outputs["n"],
            json!({ "valid": false, "errors": errors })
        );
    }
    let input = json!({ "value": "AB-1", "schema": { "pattern": "^[A-Z]+$" } });
    let errors = ["the value does not match `^[A-Z]+$`"];
    assert_eq!(
        output("data.validate", input).await,
        json!({ "valid": false, "errors": errors })
    );
    let input = json!({ "value": 1, "schema": { "type": "int" } });
    let (kind, message) = failure("data.validate", input).await;
    assert_eq!(kind, "data");
    assert_eq!(
        message,
        "`schema` is not valid: `type` is `int`, and there is no such type"
    );
    let input = json!({ "value": 1, "schema": "ordr" });
    let (kind, message) = failure("data.validate", input).await;
    assert_eq!(kind, "data");
    assert!(
        message.ends_with("that the host has registered: `ordr`"),
        "{message}"
    );
}

#[tokio::test]
async fn a_binding_to_a_node_that_was_skipped_says_so() {
    let text = "
flow: { name: either }
nodes:
  - { id: a, type: echo, input: { text: a }, when: { exists: { var: flow.input.no } } }
  - { id: b, type: echo, input: { text: b } }
  - { id: c, type: echo, input: { text: '{{ a.text }}' } }
edges: [{ from: a, to: c }, { from: b, to: c }]
";
    let flow = DocumentFlow::read("either.yaml", text, &NodeRegistry::standard()).unwrap();
    let session = flow.session(json!({})).unwrap();
    let done = session.run(Context::default()).await.unwrap();
    assert_eq!(
        done.outputs["c"]["error"]["message"],
        "the binding `a.text` names nothing: `a` was skipped"
    );
}
