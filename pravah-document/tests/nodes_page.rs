//! `docs/nodes.md`, for people, and `docs/nodes.json`, for tools, are written from the catalogue.
//!
//! `PRAVAH_BLESS=1 cargo test -p pravah-document --test nodes_page` writes them anew.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::{fmt::Write, fs, path::Path};

use pravah_document::{Catalogue, NodeType};
use serde_json::{Map, Value, json};

/// What is said of each pack, and which of them a document can use where nobody has chosen any.
const PACKS: [(&str, &str); 4] = [
    (
        "claude",
        "Off unless the host allows it: `with_pack(\"claude\")`, or `packs` in `pravah.toml`.",
    ),
    ("core", "Always there."),
    (
        "integration",
        "Off unless the host allows it, since it reaches files, commands and hosts: `with_pack(\"integration\")`, or \
         `packs` in `pravah.toml`.",
    ),
    (
        "tutorial",
        "On for the command line, unless `pravah.toml` lists other packs; in Rust `with_pack(\"tutorial\")`.",
    ),
];

fn head() -> String {
    format!(
        "# Node types\n\n\
         What the nodes of flow documents can be: version {} of the standard types. `pravah-document` writes this page \
         from its catalogue, and [nodes.json](nodes.json) with the whole schemas, which `pravah nodes TYPE` shows too.\n\n\
         A field of an input may be a binding: `\"{{{{ flow.input.name }}}}\"`, unless it says what a node is: bodies, \
         caps, modes and names, and of agents `system`, `model`, `tools`, `metadata` and `options`. A field with `?` may be left out; `[]` \
         is each item of an array.\n",
        Catalogue::VERSION
    )
}

fn page(catalogue: &Catalogue) -> String {
    let mut page = head();
    for (pack, about) in PACKS {
        write!(page, "\n## Pack `{pack}`\n\n{about}\n").unwrap();
        for node_type in catalogue.types().filter(|node_type| node_type.pack == pack) {
            add(node_type, &mut page);
        }
    }
    page
}

fn add(node_type: &NodeType, page: &mut String) {
    let NodeType {
        name, description, ..
    } = node_type;
    write!(page, "\n### `{name}`\n\n{description}\n").unwrap();
    for (title, schema) in [("Input", &node_type.input), ("Output", &node_type.output)] {
        let fields = fields(schema);
        if !fields.is_empty() {
            write!(page, "\n| {title} | is | |\n|---|---|---|\n{fields}").unwrap();
        }
    }
    if node_type.config.is_some() {
        page.push_str("\nIts `config` is that of [agents](#settings-of-agents).\n");
    }
    for example in &node_type.examples {
        let input = &example.input;
        match &example.output {
            Some(output) => write!(page, "\n```\n{input} → {output}\n```\n").unwrap(),
            None => write!(page, "\n```\n{input}\n```\n").unwrap(),
        }
    }
}

fn fields(schema: &Value) -> String {
    let mut rows = String::new();
    add_fields("", schema, &mut rows);
    rows
}

/// A row for each field, and for the fields within it.
fn add_fields(prefix: &str, schema: &Value, rows: &mut String) {
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let mark = if is_required(name) { "" } else { "?" };
        let description = field["description"].as_str().unwrap_or_default();
        let path = format!("{prefix}{name}");
        writeln!(rows, "| `{path}`{mark} | {} | {description} |", kind(field)).unwrap();
        add_fields(&format!("{path}."), field, rows);
        add_fields(&format!("{path}[]."), &field["items"], rows);
    }
}

fn kind(field: &Value) -> String {
    if let Some(values) = field["enum"].as_array() {
        let values: Vec<_> = values
            .iter()
            .map(|value| format!("`{}`", value.to_string().trim_matches('"')))
            .collect();
        return values.join(", ");
    }
    match &field["type"] {
        Value::String(name) => name.clone(),
        Value::Array(names) => names
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(" or "),
        _ => "any".to_owned(),
    }
}

fn settings(catalogue: &Catalogue) -> String {
    let config = catalogue.get("agent.run").unwrap().config.as_ref().unwrap();
    format!(
        "\n## Settings of agents\n\n| `config` | is | |\n|---|---|---|\n{}",
        fields(config)
    )
}

fn is_blessed() -> bool {
    std::env::var_os("PRAVAH_BLESS").is_some()
}

/// S4.55.
#[test]
fn the_page_of_node_types_is_up_to_date() {
    let catalogue = Catalogue::standard();
    assert_eq!(catalogue.packs(), PACKS.map(|(pack, _)| pack));
    let page = page(&catalogue) + &settings(&catalogue);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/nodes.md");
    if is_blessed() {
        fs::write(&path, &page).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap_or_default() == page,
        "run it with PRAVAH_BLESS=1"
    );
}

/// The types as data, without their examples.
fn published(catalogue: &Catalogue) -> Value {
    let types = catalogue.types().map(|node_type| {
        let NodeType {
            name,
            pack,
            description,
            input,
            output,
            config,
            ..
        } = node_type;
        let mut data =
            json!({ "pack": pack, "description": description, "input": input, "output": output });
        if let (Some(config), Some(data)) = (config, data.as_object_mut()) {
            data.insert("config".to_owned(), config.clone());
        }
        (name.clone(), data)
    });
    json!({ "version": Catalogue::VERSION, "types": types.collect::<Map<_, _>>() })
}

/// S4.55.
#[test]
fn the_standard_types_do_not_change_within_a_version() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/nodes.json");
    let before = fs::read_to_string(&path).unwrap_or_default();
    let now = format!("{:#}\n", published(&Catalogue::standard()));
    if before != now {
        let known: Value = serde_json::from_str(&before).unwrap_or_default();
        assert_ne!(
            known["version"],
            Catalogue::VERSION,
            "the types have changed: raise `Catalogue::VERSION`"
        );
        assert!(is_blessed(), "run it with PRAVAH_BLESS=1");
        fs::write(&path, now).unwrap();
    }
}
