//! `agents = […]` and `delegation(…)` of an agent: which other agents it may call, and how far that goes.

use proc_macro2::Span;
use syn::{Expr, ExprLit, Lit, Path, spanned::Spanned};

use super::{
    approval,
    entries::{Entry, Value},
    table::table,
};
use crate::diag::Diagnostics;

/// How far the calls of agents go.
#[derive(Default)]
pub(crate) struct Delegation {
    /// Whole numbers from 1 on, or expressions that are to be such.
    pub(crate) max_depth: Option<Expr>,
    pub(crate) max_children: Option<Expr>,
}

table! {
    OPTIONS: Delegation = "delegation", |it, entry, errors| {
        ["max_depth"] => it.max_depth = depth(entry, errors),
        ["max_children"] => it.max_children = entry.const_count(1, errors),
    } else {
        ["depth", "levels", "max_level", "max_levels"] => "write `max_depth = 2`",
        ["max_agents", "max_calls", "max_tasks", "limit", "count", "children"] => "write `max_children = 8`",
        ["agents", "handoffs", "subagents", "sub_agents"] => "write `agents = […]` beside `delegation`",
    }
}

/// What `agents` is called elsewhere.
pub(super) const OTHER_NAMES: [&str; 10] = [
    "subagents",
    "sub_agents",
    "agent",
    "delegates",
    "delegate",
    "handoff",
    "handoffs",
    "team",
    "workers",
    "can_call",
];

impl Delegation {
    pub(super) fn parse(entry: Entry, errors: &mut Diagnostics) -> Option<Self> {
        match entry.value {
            Value::List(tokens) if !tokens.is_empty() => OPTIONS.parse(tokens, errors),
            _ => {
                errors.error(
                    entry.key.span(),
                    "`delegation` says nothing",
                    "write `delegation(max_depth = 2, max_children = 8)`, or leave it out",
                );
                None
            }
        }
    }
}

/// How deep agents may call each other at most, as `pravah_runtime::Delegation` has it.
const DEEPEST: u32 = 4;

fn depth(entry: Entry, errors: &mut Diagnostics) -> Option<Expr> {
    let depth = entry.const_count(1, errors)?;
    if let Expr::Lit(ExprLit {
        lit: Lit::Int(literal),
        ..
    }) = &depth
        && literal
            .base10_parse::<u32>()
            .is_ok_and(|depth| depth > DEEPEST)
    {
        errors.error(
            literal.span(),
            format!("`max_depth` is at most {DEEPEST}"),
            format!("write a number from 1 to {DEEPEST}"),
        );
        return None;
    }
    Some(depth)
}

/// The agents in `agents = [a, b]`, each named once.
pub(super) fn agents(entry: Entry, errors: &mut Diagnostics) -> Vec<Path> {
    let at = entry.key.span();
    let Some(agents) = entry.array("[a, b]", errors) else {
        return Vec::new();
    };
    if agents.elems.is_empty() {
        let help = "name the agents that it may call, or leave it out";
        errors.error(at, "`agents` names no agents", help);
    }
    let agents = agents.elems.iter();
    let agents = agents.map(|expr| approval::path(expr, ("agents", "an agent"), errors));
    let agents: Vec<Path> = agents.collect::<Option<_>>().unwrap_or_default();
    for (index, agent) in agents.iter().enumerate() {
        let called = |path: &Path| path.segments.last().map(|last| last.ident.clone());
        let mut before = agents.iter().take(index);
        if let Some(other) = before.find(|other| called(other) == called(agent)) {
            let name = approval::text(agent);
            let (fact, help) = match other == agent {
                true => (format!("`{name}` is named twice"), "keep one of them"),
                false => (
                    format!("two of the agents are called `{}`", approval::last(agent)),
                    "rename one of them: a model calls agents by their names",
                ),
            };
            errors.error(agent.span(), fact, help);
        }
    }
    agents
}

/// Fails where it is said how far calls go, and no agent can be called.
pub(super) fn check_alone(key: Span, agents: &[Path], errors: &mut Diagnostics) {
    if agents.is_empty() {
        errors.error(
            key,
            "the agent may call no other agents",
            "name them in `agents = […]`, or leave `delegation` out",
        );
    }
}
