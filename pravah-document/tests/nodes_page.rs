//! `docs/nodes.md` is written from the catalogue.
//!
//! `PRAVAH_BLESS=1 cargo test -p pravah-document --test nodes_page` writes it anew.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::{fmt::Write, fs, path::Path};

use pravah_document::{Catalogue, NodeType};
use serde_json::Value;

const HEAD: &str = "# Node types\n\n\
    What the nodes of flow documents can be. `pravah-document` writes this page from its catalogue; `pravah nodes TYPE` \
    shows the whole schemas.\n\n\
    Any field of an input may be a binding: `\"{{ flow.input.name }}\"`. A field with `?` may be left out.\n";

fn page(catalogue: &Catalogue) -> String {
    let mut page = HEAD.to_owned();
    for pack in catalogue.packs() {
        write!(page, "\n## Pack `{pack}`\n").unwrap();
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
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
    let mut rows = String::new();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let mark = if is_required(name) { "" } else { "?" };
        let description = field["description"].as_str().unwrap_or_default();
        writeln!(rows, "| `{name}`{mark} | {} | {description} |", kind(field)).unwrap();
    }
    rows
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

/// S4.55.
#[test]
fn the_page_of_node_types_is_up_to_date() {
    let catalogue = Catalogue::standard();
    let page = page(&catalogue) + &settings(&catalogue);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/nodes.md");
    if std::env::var_os("PRAVAH_BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap_or_default() == page,
        "run it with PRAVAH_BLESS=1"
    );
}
