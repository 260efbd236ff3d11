//! `manual(…)` of a state, and attributes without options.

use proc_macro2::TokenStream;

use super::{
    entries::{Entry, Value},
    table::{OtherNames, TITLES, Table},
    words::list,
};
use crate::diag::Diagnostics;

/// What is written below the attribute.
const OTHER_NAMES: [OtherNames; 5] = [
    OtherNames {
        names: &[
            "derive",
            "derives",
            "Default",
            "PartialEq",
            "Eq",
            "Hash",
            "PartialOrd",
            "Ord",
            "Copy",
        ],
        help: "write `#[derive(…)]` below `#[state]`",
    },
    OtherNames {
        names: &[
            "serde",
            "rename",
            "rename_all",
            "default",
            "tag",
            "untagged",
            "transparent",
        ],
        help: "write what serde reads as `#[serde(…)]` below `#[state]`",
    },
    OtherNames {
        names: &["alias", "flatten", "skip"],
        help: "write what serde reads of a field as `#[serde(…)]` above the field",
    },
    OtherNames {
        names: &["reducer", "merge", "channel", "append"],
        help: "leave it out: a node returns its whole new state, and the node in `join(…)` merges what parallel branches return",
    },
    OtherNames {
        names: &TITLES,
        help: "the state is called as its type; another name in snapshots is `#[serde(rename = \"…\")]` below `#[state]`",
    },
];

const DERIVES: [&str; 5] = ["Serialize", "Deserialize", "JsonSchema", "Debug", "Clone"];

/// `#[state(manual(Serialize, …))]`: what is not added to the state.
pub(crate) fn state_manual(tokens: TokenStream, errors: &mut Diagnostics) -> Vec<String> {
    let mut names = Vec::new();
    let table = Table {
        attribute: "state",
        rows: &[(&["manual"], |it, entry, errors| *it = manual(entry, errors))],
        unnamed: None,
        other_names: &[&OTHER_NAMES],
    };
    table.read(tokens, &mut names, errors);
    names
}

/// The names in a `manual(…)`.
pub(super) fn manual(entry: Entry, errors: &mut Diagnostics) -> Vec<String> {
    let table = Table {
        attribute: "manual",
        rows: &[(&DERIVES, |(), entry, errors| drop(entry.alone(errors)))],
        unnamed: None,
        other_names: &[],
    };
    match entry.value {
        Value::List(tokens) if !tokens.is_empty() => {
            let given = table.read(tokens, &mut (), errors);
            given.names.iter().map(ToString::to_string).collect()
        }
        _ => {
            errors.error(
                entry.key.span(),
                "`manual` names no derive",
                format!("write `manual(…)` with some of {}", list(&DERIVES)),
            );
            Vec::new()
        }
    }
}

/// An attribute without options.
pub(crate) fn nothing(tokens: TokenStream, attribute: &str, errors: &mut Diagnostics) {
    let table = Table {
        attribute,
        rows: &[],
        unnamed: None,
        other_names: &[],
    };
    table.read(tokens, &mut (), errors);
}
