//! What may grow in the public interface leaves room: a new variant or field is no breaking change.
#![allow(
    clippy::unwrap_used,
    reason = "a file that cannot be read is a test that fails"
)]

use std::{fs, path::Path};

/// What is complete, and why.
const COMPLETE: [(&str, &str); 13] = [
    ("RunOut", "a loop around `next` takes all of them"),
    ("RunOut::Suspend", "the question and its id"),
    ("FlowError::Suspended", "the question, its id and the run"),
    ("FlowConf", "it is written with `..FlowConf::default()`"),
    ("Either", "one of two"),
    ("RouteDecision", "below the band, in it, above it"),
    ("Review", "a person writes it"),
    ("Review::Edit", "a person writes it"),
    ("Review::Reject", "a person writes it"),
    (
        "ContractError::*",
        "the fields of a contract are compared with what was set",
    ),
    ("ArcFrom::*", "the macros write them"),
    (
        "TaskResult",
        "there is an output, or the reason why there is none",
    ),
    ("TaskResult::*", "the one or the other"),
];

/// The declarations of public enums, of public structs with public fields, and of the variants with
/// fields, that have no `#[non_exhaustive]` in `text`.
fn closed(text: &str) -> Vec<String> {
    let (mut found, mut attributes) = (Vec::new(), String::new());
    let mut item: Option<(String, bool, bool)> = None;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("#[") || trimmed.starts_with("///") {
            attributes += trimmed;
            continue;
        }
        let (open, hidden) = (
            attributes.contains("non_exhaustive"),
            attributes.contains("doc(hidden)"),
        );
        attributes.clear();
        let word = |line: &str| -> String {
            line.chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect()
        };
        if let Some(rest) = line.strip_prefix("pub enum ") {
            let name = word(rest);
            if !open && !hidden {
                found.push(name.clone());
            }
            item = (!hidden).then_some((name, true, open));
        } else if let Some(rest) = line.strip_prefix("pub struct ") {
            let is_open = open || hidden || !line.ends_with('{');
            item = (!is_open).then(|| (word(rest), false, open));
        } else if line == "}" {
            item = None;
        } else if let Some((name, is_enum, _)) = &item {
            let is_member = line.starts_with("    ") && !line.starts_with("     ");
            if *is_enum && is_member && line.ends_with(" {") && !open {
                found.push(format!("{name}::{}", word(trimmed)));
            }
            if !is_enum && is_member && trimmed.starts_with("pub ") {
                found.push(name.clone());
                item = None;
            }
        }
    }
    found
}

fn files(place: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(place).unwrap() {
        let path = entry.unwrap().path();
        // What the macros alone name is of one version with them.
        if path.is_dir() && !path.ends_with("check") && !path.ends_with("tests") {
            files(&path, found);
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.extend(closed(&fs::read_to_string(&path).unwrap()));
        }
    }
}

#[test]
fn every_public_type_that_may_grow_is_non_exhaustive() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    files(&root.join("src"), &mut found);
    let is_complete = |name: &String| {
        let of = name.split("::").next().unwrap_or_default();
        let all = format!("{of}::*");
        COMPLETE.iter().any(|(it, _)| it == name || *it == all)
    };
    let wrong: Vec<&String> = found.iter().filter(|name| !is_complete(name)).collect();
    assert!(
        wrong.is_empty(),
        "`#[non_exhaustive]` is missing: {wrong:?}"
    );
    assert!(found.iter().any(|name| name == "RunOut"), "nothing is read");
}
