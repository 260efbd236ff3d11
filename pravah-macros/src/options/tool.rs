//! The options of `#[tool]`.

use proc_macro2::{Span, TokenStream};

use super::{
    approval,
    entries::{self, DESCRIPTIONS, Entry, OtherNames, TITLES, Value},
};
use crate::diag::Diagnostics;

const KEYS: [&str; 5] = [
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "approve",
];

const NOT_OF_A_TOOL: [OtherNames; 4] = [
    OtherNames {
        names: TITLES,
        help: "leave it out: the tool is called as its function",
    },
    OtherNames {
        names: DESCRIPTIONS,
        help: "write it as a doc comment above the function, which the model reads",
    },
    OtherNames {
        names: approval::OTHER_NAMES,
        help: "write `approve`: a person approves each call before it runs",
    },
    OtherNames {
        names: &["timeout", "total_timeout", "retry", "max_attempts"],
        help: "write it in the `#[agent(…)]` that has the tool",
    },
];

/// The options of `#[tool]`.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ToolOptions {
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
    pub(crate) approve: bool,
}

impl ToolOptions {
    /// Parses the options; nothing where one is refused.
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Diagnostics) -> Option<Self> {
        let before = errors.len();
        let mut options = Self::default();
        for entry in entries::parse_with_other_names(tokens, "tool", &KEYS, &NOT_OF_A_TOOL, errors)
        {
            let at = entry.key.span();
            match entry.key.to_string().as_str() {
                "read_only" => options.read_only = flag(entry, errors),
                "destructive" => options.destructive = flag(entry, errors),
                "idempotent" => options.idempotent = flag(entry, errors),
                "open_world" => options.open_world = flag(entry, errors),
                _ => options.approve = flag(entry, errors).unwrap_or(false),
            }
            options.check(at, errors);
            if errors.grew_since(before) {
                return None;
            }
        }
        (!errors.grew_since(before)).then_some(options)
    }

    /// Whether what was read so far contradicts itself; the last of it is at `at`.
    fn check(&self, at: Span, errors: &mut Diagnostics) {
        if self.read_only == Some(true) && self.destructive == Some(true) {
            errors.error(
                at,
                "a tool that is `read_only` is not `destructive`",
                "keep one of them: what only reads changes nothing, and what is destructive deletes or overwrites",
            );
        }
    }
}

/// `key`, or `key = true`, or `key = false`.
fn flag(entry: Entry, errors: &mut Diagnostics) -> Option<bool> {
    match entry.value {
        Value::Flag => Some(true),
        _ => entry.bool(errors),
    }
}
