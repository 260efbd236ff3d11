//! The options of `#[tool]`.

use proc_macro2::TokenStream;

use super::{
    approval,
    entries::{Entry, Value},
    table::{DESCRIPTIONS, TITLES, table},
};
use crate::diag::Diagnostics;

/// The options of `#[tool]`.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ToolOptions {
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
    pub(crate) approve: bool,
    /// Whether a client executes the tool.
    pub(crate) external: bool,
}

table! {
    OPTIONS: ToolOptions = "tool", |it, entry, errors| {
        ["read_only"] => it.read_only = flag(entry, errors),
        ["destructive"] => it.destructive = flag(entry, errors),
        ["idempotent"] => it.idempotent = flag(entry, errors),
        ["open_world"] => it.open_world = flag(entry, errors),
        ["approve"] => it.approve = flag(entry, errors).unwrap_or(false),
        ["external"] => it.external = flag(entry, errors).unwrap_or(false),
    } else {
        TITLES => "leave it out: the tool is called as its function",
        DESCRIPTIONS => "write it as a doc comment above the function, which the model reads",
        approval::OTHER_NAMES => "write `approve`: a person approves each call before it runs",
        ["safe", "pure"] => "write `read_only` where it changes nothing, `idempotent` where a second call changes nothing more",
        ["client", "client_side", "remote"] => "write `external`: whoever drives the run executes the tool",
        ["timeout", "total_timeout", "retry", "max_attempts"] => "write it in the `#[agent(…)]` that has the tool",
    }
}

impl ToolOptions {
    /// Parses the options; nothing where one is refused.
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Diagnostics) -> Option<Self> {
        let mut tool = Self::default();
        let given = errors.attempt(|errors| OPTIONS.read(tokens, &mut tool, errors))?;
        if tool.read_only == Some(true) && tool.destructive == Some(true) {
            let mut names = given.names.iter();
            let last = names.rfind(|name| *name == "read_only" || *name == "destructive");
            errors.error(
                last?.span(),
                "a tool that is `read_only` is not `destructive`",
                "keep one of them: what only reads changes nothing, and what is destructive deletes or overwrites",
            );
            return None;
        }
        Some(tool)
    }
}

/// `key`, or `key = true`, or `key = false`.
fn flag(entry: Entry, errors: &mut Diagnostics) -> Option<bool> {
    match entry.value {
        Value::Flag => Some(true),
        _ => entry.bool(errors),
    }
}
