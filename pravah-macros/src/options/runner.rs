//! `runner = …` of a remote agent.

use syn::{Expr, Ident};

use super::{entries::Entry, request};
use crate::diag::Diagnostics;

/// What only a model has a use for.
const MODEL_OPTIONS: [&str; 15] = [
    "model",
    "fallback",
    "preamble",
    "tools",
    "agents",
    "skills",
    "delegation",
    "approve",
    "max_turns",
    "max_repairs",
    "max_retries",
    "visit_tokens",
    "contract",
    "turns",
    "constraints",
];

/// Refuses what a model has a use for, in a remote agent.
pub(super) fn check(names: &[Ident], errors: &mut Diagnostics) {
    let is_refused = |name: &&Ident| {
        let name = name.to_string();
        MODEL_OPTIONS.contains(&&*name) || request::KEYS.contains(&&*name)
    };
    for name in names.iter().filter(is_refused) {
        let (fact, help) = match name == "model" {
            true => (
                "an agent has a `model` or a `runner`, and not both".to_owned(),
                "remove one of them: the model of a remote agent is set up where it runs",
            ),
            false => (
                format!("`{name}` does not apply to an agent with a `runner`"),
                "remove it, and set it up where the runner runs the agent",
            ),
        };
        errors.error(name.span(), fact, help);
    }
}

/// The kind of a runner, or an expression for one with settings.
pub(super) fn parse(entry: Entry, errors: &mut Diagnostics) -> Option<Expr> {
    let expr = entry.expr(errors)?;
    let Expr::Lit(lit) = &expr else {
        return Some(expr);
    };
    let help = "write the kind of a runner, such as `runner = \"a2a\"`, or one with its settings: `runner = RunnerConfig::new(\"a2a\").with_config(…)`";
    let fact = match &lit.lit {
        syn::Lit::Str(kind) if kind.value().starts_with("http") => {
            errors.error(
                lit.lit.span(),
                format!("`{}` is an address, and no runner", kind.value()),
                "write `runner = \"a2a\"`, and give the address to the runner: `A2aRunner::new().with_agent(\"archivist\", \"https://…\")`",
            );
            return None;
        }
        syn::Lit::Str(kind) if kind.value().contains("://") => {
            errors.error(
                lit.lit.span(),
                format!("`{}` is a model, and no runner", kind.value()),
                "write `model = …` in place of `runner = …`",
            );
            return None;
        }
        syn::Lit::Str(kind) if !kind.value().trim().is_empty() => return Some(expr),
        syn::Lit::Str(_) => "the runner has no kind",
        _ => "expected the kind of a runner",
    };
    errors.error(lit.lit.span(), fact, help);
    None
}
