//! `pravah nodes`.

use std::{fmt::Write as _, process::ExitCode};

use pravah_document::{Example, NodeType};
use serde_json::{Value, json};

use crate::{config::Config, failure::Failure, output::print};

pub(crate) fn show(
    config: &Config,
    name: Option<&str>,
    as_json: bool,
) -> Result<ExitCode, Failure> {
    let registry = config.registry()?;
    let catalogue = registry.catalogue();
    match name {
        None if as_json => {
            let types: Vec<Value> = catalogue.types().map(to_json).collect();
            print(&format!("{:#}", Value::from(types)))
        }
        None => {
            let width = catalogue
                .types()
                .map(|it| it.name.len())
                .max()
                .unwrap_or_default();
            let lines = catalogue.types();
            let lines: Vec<String> = lines
                .map(|it| format!("{:width$}  {} ({})", it.name, it.description, it.pack))
                .collect();
            print(&lines.join("\n"))
        }
        Some(name) => match catalogue.get(name) {
            Some(node_type) if as_json => print(&format!("{:#}", to_json(node_type))),
            Some(node_type) => print(&described(node_type)),
            None => Err(Failure::Message(format!(
                "there is no node type `{name}`: `pravah nodes` lists them"
            ))),
        },
    }
}

fn described(node_type: &NodeType) -> String {
    let NodeType {
        name,
        pack,
        description,
        input,
        output,
        config,
        examples,
        ..
    } = node_type;
    let mut text =
        format!("{name} (pack {pack})\n{description}\n\ninput: {input:#}\noutput: {output:#}");
    if let Some(config) = config {
        // Writing to a string does not fail.
        let _ = write!(text, "\nconfig: {config:#}");
    }
    for Example { input, output, .. } in examples {
        let _ = write!(text, "\n\nexample: {input}");
        if let Some(output) = output {
            let _ = write!(text, "\n      -> {output}");
        }
    }
    text
}

fn to_json(node_type: &NodeType) -> Value {
    json!({
        "type": node_type.name,
        "pack": node_type.pack,
        "description": node_type.description,
        "input": node_type.input,
        "output": node_type.output,
        "config": node_type.config,
    })
}
