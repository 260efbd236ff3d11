//! What the nodes of a flow may reach, and what an agent must not: `only(…)` and `constraints(…)`.

use std::time::Duration;

use proc_macro2::TokenStream;
use syn::Ident;

use super::{
    duration,
    entries::{self, Entry, OtherNames, Value, list},
};
use crate::diag::Diagnostics;

const CAPABILITIES: [&str; 4] = ["files", "commands", "http", "deps"];

const OTHER_CAPABILITIES: [OtherNames; 2] = [
    OtherNames {
        names: &["network", "net", "web", "internet"],
        help: "write `http`",
    },
    OtherNames {
        names: &["input", "step", "resumed", "context"],
        help: "leave it out: inputs and steps may always be asked for, and a `Context` is all of `files`, `commands`, `http` and `deps`",
    },
];

/// The capabilities in `only(…)`, in the order in which they are written.
pub(super) fn only(entry: Entry, errors: &mut Diagnostics) -> Option<Vec<Ident>> {
    let before = errors.len();
    let words = words_of(entry, "only(files, deps)", errors)?;
    let entries =
        entries::parse_with_other_names(words, "only", &CAPABILITIES, &OTHER_CAPABILITIES, errors);
    let words = entries.into_iter();
    let words = words.filter_map(|entry| flag(entry, errors)).collect();
    // A flow is checked against what was meant.
    (!errors.grew_since(before)).then_some(words)
}

const KEYS: [&str; 4] = [
    "no_network",
    "no_commands",
    "no_credentials",
    "max_duration",
];

const OTHER_KEYS: [OtherNames; 4] = [
    OtherNames {
        names: &["no_network_access", "no_http", "offline"],
        help: "write `no_network`",
    },
    OtherNames {
        names: &["no_execution_authority", "no_execution", "no_shell"],
        help: "write `no_commands`",
    },
    OtherNames {
        names: &["no_credential_access", "no_secrets", "no_deps"],
        help: "write `no_credentials`",
    },
    OtherNames {
        names: &["max_duration_ms", "timeout", "budget", "max_time"],
        help: "write `max_duration = \"8s\"`",
    },
];

/// `constraints(…)` of an agent.
#[derive(Default)]
pub(crate) struct Constraints {
    /// Each `no_…`.
    pub(crate) refusals: Vec<Ident>,
    pub(crate) max_duration: Option<Duration>,
}

impl Constraints {
    pub(super) fn parse(entry: Entry, errors: &mut Diagnostics) -> Option<Self> {
        let at = entry.key.span();
        let tokens = words_of(
            entry,
            "constraints(no_network, max_duration = \"8s\")",
            errors,
        )?;
        if tokens.is_empty() {
            errors.error(
                at,
                "`constraints` constrains nothing",
                format!("write some of {} in it", list(&KEYS)),
            );
            return None;
        }
        let mut constraints = Self::default();
        for entry in
            entries::parse_with_other_names(tokens, "constraints", &KEYS, &OTHER_KEYS, errors)
        {
            if entry.key == "max_duration" {
                let text = entry.text("8s", errors);
                constraints.max_duration = text
                    .and_then(|(text, span)| duration::parse("max_duration", &text, span, errors));
            } else {
                constraints.refusals.extend(flag(entry, errors));
            }
        }
        Some(constraints)
    }
}

/// What is in the parentheses.
fn words_of(entry: Entry, example: &str, errors: &mut Diagnostics) -> Option<TokenStream> {
    match entry.value {
        Value::List(tokens) => Some(tokens),
        Value::Flag | Value::Given(_) => {
            errors.error(
                entry.key.span(),
                format!("`{}` is not followed by parentheses", entry.key),
                format!("write `{example}`"),
            );
            None
        }
    }
}

/// A word without a value.
fn flag(entry: Entry, errors: &mut Diagnostics) -> Option<Ident> {
    if matches!(entry.value, Value::Flag) {
        return Some(entry.key);
    }
    errors.error(
        entry.key.span(),
        format!("`{}` has a value", entry.key),
        format!("write `{}` alone", entry.key),
    );
    None
}
