//! The options of `#[flow]`, and of `each(…)` in one.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::{Expr, Path, Token, parse::Parser, punctuated::Punctuated};

use super::{
    capabilities,
    entries::{Entry, Value},
    table::{DESCRIPTIONS, TITLES, table},
};
use crate::{diag::Diagnostics, lock::Lock};

/// The options of `#[flow]`.
pub(crate) struct FlowOptions {
    /// Where `named` is.
    pub(crate) named: Option<Span>,
    pub(crate) fail_fast: bool,
    /// What its nodes may reach.
    pub(crate) only: Option<Vec<Ident>>,
    /// What becomes of runs of earlier versions.
    pub(crate) upgrades: Upgrades,
}

/// What `#[flow]` says of earlier versions.
#[derive(Clone, Default)]
pub(crate) struct Upgrades {
    pub(crate) lock: Option<Lock>,
    /// The `#[migrate]` functions.
    pub(crate) migrations: Vec<Path>,
}

table! {
    OPTIONS: FlowOptions = "flow", |it, entry, errors| {
        ["named"] => it.named = Some(named(&entry, errors)),
        ["fail_fast"] => it.fail_fast = entry.bool(errors).unwrap_or(true),
        ["only"] => it.only = capabilities::only(entry, errors),
        ["lock"] => it.upgrades.lock = lock(entry, errors),
        ["migrate"] => it.upgrades.migrations = migrations(entry, errors),
    } else {
        TITLES => "leave it out: the flow is called as its function",
        DESCRIPTIONS => "write it as a doc comment above the function",
        ["timeout", "total_timeout", "retry", "max_visits"] => "write it in the `#[node(…)]` of a node in the flow",
        ["concurrency", "max_concurrency", "parallel", "parallelism", "workers"] =>
            "write `run.with_concurrency(8)` where the flow is run, and `each(…, limit = 8)` for a list",
        ["migrations", "upgrade", "upgrades"] => "write `migrate(a, b)` with the names of `#[migrate]` functions",
        ["versions", "locked", "lockfile", "lock_file"] => "write `lock = \"name.lock\"`, a file beside `Cargo.toml`",
        ["constraints", "capabilities", "permissions"] =>
            "write `only(deps)` with what its nodes may ask for; `constraints(…)` is for the tools of an agent",
        ["continue_on_error", "keep_going", "fail_slow"] => "write `fail_fast = false`",
    }
}

fn named(entry: &Entry, errors: &mut Diagnostics) -> Span {
    let span = entry.key.span();
    if !matches!(entry.value, Value::Flag) {
        errors.error(span, "`named` has a value", "write `#[flow(named)]`");
    }
    span
}

/// The lock in the file that a text names.
fn lock(entry: Entry, errors: &mut Diagnostics) -> Option<Lock> {
    let path = entry.literal(
        "the path of the lock file is not a string literal",
        "write `lock = \"name.lock\"`, a file beside `Cargo.toml`",
        errors,
    )?;
    Lock::read(path, errors)
}

/// The paths in `migrate(a, b)`.
fn migrations(entry: Entry, errors: &mut Diagnostics) -> Vec<Path> {
    const HELP: &str = "write `migrate(a, b)` with the names of `#[migrate]` functions";
    let key = entry.key.span();
    let Value::List(tokens) = entry.value else {
        errors.error(key, "`migrate` has no list in parentheses", HELP);
        return Vec::new();
    };
    let paths = Punctuated::<Path, Token![,]>::parse_terminated.parse2(tokens);
    match paths {
        Ok(paths) if !paths.is_empty() => paths.into_iter().collect(),
        Ok(_) => {
            errors.error(key, "`migrate` names no function", HELP);
            Vec::new()
        }
        Err(error) => {
            errors.error(error.span(), "a migration is named by its path", HELP);
            Vec::new()
        }
    }
}

impl FlowOptions {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Diagnostics) -> Self {
        let mut options = Self {
            named: None,
            fail_fast: true,
            only: None,
            upgrades: Upgrades::default(),
        };
        OPTIONS.read(tokens, &mut options, errors);
        options
    }
}

table! {
    EACH: Option<Expr> = "each", |it, entry, errors| {
        ["limit"] => *it = entry.const_count(1, errors),
    } else {
        ["max", "concurrency", "max_concurrency", "parallel", "parallelism", "at_once", "buffered"] =>
            "write `limit = 8`",
        ["timeout", "total_timeout", "retry", "max_visits"] => "write it in the `#[node(…)]` of a node in the chain",
    }
}

/// How many items of an `each(…)` are worked on at the same time, from what is after its chain; nothing where
/// that is refused.
pub(crate) fn list_limit(tokens: TokenStream, errors: &mut Diagnostics) -> Option<Option<Expr>> {
    if let Some(TokenTree::Literal(value)) = tokens.clone().into_iter().next() {
        errors.error(
            value.span(),
            "an option of `each` has no name",
            "write `limit = 8`",
        );
        return None;
    }
    EACH.parse(tokens, errors)
}
