//! `agents = […]` and `delegation(…)` of an agent: which other agents it may call, and how far that goes.

use proc_macro2::Span;
use syn::{Expr, ExprLit, Ident, Lit, Path, spanned::Spanned};

use super::{
    Settings,
    entries::{Entry, Value, span_of},
    paths,
    table::table,
    words::{in_quotes, list, nearest},
};
use crate::diag::Diagnostics;

/// How far the calls of agents go.
#[derive(Default)]
pub(crate) struct Delegation {
    /// Whole numbers from 1 on, or expressions that are to be such.
    pub(crate) max_depth: Option<Expr>,
    pub(crate) max_children: Option<Expr>,
    /// Each context as it is called.
    pub(crate) contexts: Vec<Ident>,
    pub(crate) tools: Option<InheritedTools>,
    /// Each join as it is called.
    pub(crate) joins: Vec<Ident>,
    pub(crate) on_done: Option<Ident>,
    /// What ad-hoc agents are made of.
    pub(crate) ad_hoc: Option<Path>,
}

/// Which tools of the agent those have that it calls.
pub(crate) enum InheritedTools {
    All,
    None,
    These(Vec<Path>),
}

table! {
    OPTIONS: Delegation = "delegation", |it, entry, errors| {
        ["max_depth"] => it.max_depth = depth(entry, errors),
        ["max_children"] => it.max_children = entry.const_count(1, errors),
        ["context"] => it.contexts = words(entry, ("context", &CONTEXTS), errors),
        ["join"] => it.joins = words(entry, ("join", &JOINS), errors),
        ["on_done"] => it.on_done = on_done(entry, errors),
        ["tools"] => it.tools = tools(entry, errors),
        ["ad_hoc"] => it.ad_hoc = ad_hoc(entry, errors),
    } else {
        ["contexts", "history", "messages", "scope"] => "write `context = inherited`, or `context = [independent, inherited]` where the model chooses",
        ["tool_policy", "inherit_tools", "inherit"] => "write `tools = inherit`, or `tools = [search]` with some of the agent's own",
        ["joins", "mode", "modes", "detached", "background", "parallel", "is_async"] => "write `join = detached`, or `join = [single, all, detached]` where the model chooses",
        ["depth", "levels", "max_level", "max_levels"] => "write `max_depth = 2`",
        ["max_agents", "max_calls", "max_tasks", "limit", "count", "children"] => "write `max_children = 8`",
        ["agents", "handoffs", "subagents", "sub_agents"] => "write `agents = […]` beside `delegation`",
        ["skills", "skill"] => "write `skills = […]` beside `delegation`",
        ["adhoc", "dynamic", "base", "system_prompt"] => "write `ad_hoc = assistant`, with the agent that is the base of ad-hoc agents",
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
            Value::Given(_) => {
                errors.error(
                    entry.key.span(),
                    "`delegation` is followed by `=`",
                    "write `delegation(max_depth = 2, max_children = 8)`",
                );
                None
            }
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

const CONTEXTS: [&str; 3] = ["independent", "inherited", "shared"];

const JOINS: [&str; 3] = ["single", "all", "detached"];

/// One of these words, or a list of them.
fn words(
    entry: Entry,
    (key, allowed): (&'static str, &[&str]),
    errors: &mut Diagnostics,
) -> Vec<Ident> {
    let at = entry.key.span();
    let Some(expr) = entry.expr(errors) else {
        return Vec::new();
    };
    let words: Vec<Expr> = match expr {
        Expr::Array(array) => array.elems.into_iter().collect(),
        one => vec![one],
    };
    if words.is_empty() {
        let help = format!("write some of {}", list(allowed));
        errors.error(at, format!("`{key}` is an empty list"), help);
    }
    let mut known: Vec<Ident> = Vec::new();
    for word in &words {
        match word_of(word, key, allowed, errors) {
            Some(word) if known.contains(&word) => {
                let fact = format!("`{word}` is given twice");
                errors.error(word.span(), fact, "keep one of them");
            }
            Some(word) => known.push(word),
            None => {}
        }
    }
    known
}

pub(super) fn on_done(entry: Entry, errors: &mut Diagnostics) -> Option<Ident> {
    word_of(&entry.expr(errors)?, "on_done", &["cancel", "wait"], errors)
}

fn tools(entry: Entry, errors: &mut Diagnostics) -> Option<InheritedTools> {
    match entry.expr(errors)? {
        Expr::Array(array) => {
            let tools = array.elems.iter();
            let tools = tools.map(|expr| paths::path(expr, ("tools", "a tool"), errors));
            tools.collect::<Option<_>>().map(InheritedTools::These)
        }
        word => {
            let word = word_of(&word, "tools", &["inherit", "none"], errors)?;
            Some(if word == "inherit" {
                InheritedTools::All
            } else {
                InheritedTools::None
            })
        }
    }
}

/// One of these words.
fn word_of(expr: &Expr, key: &str, words: &[&str], errors: &mut Diagnostics) -> Option<Ident> {
    if let Expr::Path(path) = expr
        && let Some(word) = path.path.get_ident()
        && words.iter().any(|known| word == known)
    {
        return Some(word.clone());
    }
    if let Expr::Lit(ExprLit {
        lit: Lit::Str(text),
        ..
    }) = expr
    {
        let is_word = words.contains(&text.value().as_str());
        in_quotes(text, key, is_word, &list(words), errors);
        return None;
    }
    let help = match expr {
        Expr::Path(path) => nearest(&paths::text(&path.path), words),
        _ => None,
    };
    let words = match key {
        "tools" => "`inherit`, `none`, or some of the agent's tools, such as `[search]`".to_owned(),
        _ => list(words),
    };
    let help = match help {
        Some(near) => format!("did you mean `{near}`? Write one of {words}"),
        None => format!("write one of {words}"),
    };
    errors.error(span_of(expr), format!("`{key}` has no such value"), help);
    None
}

/// How deep agents may call each other at most, as `pravah_runtime::Delegation` has it.
const DEEPEST: u32 = 4;

fn depth(entry: Entry, errors: &mut Diagnostics) -> Option<Expr> {
    let depth = entry.expr(errors)?;
    let is_number = match &depth {
        Expr::Lit(ExprLit {
            lit: Lit::Int(literal),
            ..
        }) => literal
            .base10_parse::<u32>()
            .is_ok_and(|depth| (1..=DEEPEST).contains(&depth)),
        // A constant is checked by the compiler.
        other => !matches!(other, Expr::Lit(_) | Expr::Unary(_)),
    };
    if !is_number {
        errors.error(
            span_of(&depth),
            format!("`max_depth` is not a number from 1 to {DEEPEST}"),
            "write how many levels of agents may be below this one, such as `max_depth = 2`",
        );
        return None;
    }
    Some(depth)
}

/// The agent in `ad_hoc = assistant`.
fn ad_hoc(entry: Entry, errors: &mut Diagnostics) -> Option<Path> {
    match entry.expr(errors)? {
        Expr::Path(path) if path.qself.is_none() => Some(path.path),
        other => {
            errors.error(
                span_of(&other),
                "`ad_hoc` names no agent",
                "write `ad_hoc = assistant`, with the agent that is the base of ad-hoc agents",
            );
            None
        }
    }
}

/// The agents in `agents = [a, b]`, each named once.
pub(super) fn agents(entry: Entry, errors: &mut Diagnostics) -> Vec<Path> {
    let help = "name the agents that it may call, or leave it out";
    names(entry, ("agents", help), errors)
}

/// The agents in `skills = [a, b]`, each named once.
pub(super) fn skills(entry: Entry, errors: &mut Diagnostics) -> Vec<Path> {
    let help = "name the agents that its model may run as skills, or leave it out";
    names(entry, ("skills", help), errors)
}

fn names(entry: Entry, (key, help): (&'static str, &str), errors: &mut Diagnostics) -> Vec<Path> {
    let at = entry.key.span();
    let Some(agents) = entry.array("[a, b]", errors) else {
        return Vec::new();
    };
    if agents.elems.is_empty() {
        errors.error(at, format!("`{key}` names no agents"), help);
    }
    let agents = agents.elems.iter();
    let agents = agents.map(|expr| paths::path(expr, (key, "an agent"), errors));
    let agents: Vec<Path> = agents.collect::<Option<_>>().unwrap_or_default();
    for (index, agent) in agents.iter().enumerate() {
        let mut before = agents.iter().take(index);
        if let Some(other) = before.find(|other| paths::last(other) == paths::last(agent)) {
            let name = paths::text(agent);
            let (fact, help) = match other == agent {
                true => (format!("`{name}` is named twice"), "keep one of them"),
                false => (
                    format!("two of the agents are called `{}`", paths::last(agent)),
                    "rename one of them: agents are called by their names",
                ),
            };
            errors.error(agent.span(), fact, help);
        }
    }
    agents
}

/// Fails where a skill is among the agents too.
pub(super) fn check_skills(settings: &Settings, errors: &mut Diagnostics) {
    for skill in &settings.skills {
        let mut agents = settings.agents.iter();
        if agents.any(|agent| paths::last(agent) == paths::last(skill)) {
            let name = paths::last(skill);
            errors.error(
                skill.span(),
                format!("`{name}` is named in `agents` and in `skills`"),
                "keep one of them: a skill reads the conversation, and an agent in `agents` does what `delegation(context = …)` says",
            );
        }
    }
}

impl Delegation {
    /// Whether agents may be called as detached tasks.
    pub(super) fn allows_detached(&self) -> bool {
        self.joins.iter().any(|join| join == "detached")
    }

    /// Fails where no agent can be called, or where those that are called are to have tools that the agent lacks.
    pub(super) fn check(&self, key: Span, settings: &Settings, errors: &mut Diagnostics) {
        if settings.callees().next().is_none() {
            errors.error(
                key,
                "the agent may call no other agents",
                "name them in `agents = […]`, `skills = […]` or `delegation(ad_hoc = …)`, or leave `delegation` out",
            );
        }
        if let Some(InheritedTools::These(inherited)) = &self.tools {
            for tool in inherited
                .iter()
                .filter(|tool| !settings.tools.contains(tool))
            {
                errors.error(
                    tool.span(),
                    format!("the agent has no tool `{}`", paths::text(tool)),
                    paths::help_for_tool(tool, &settings.tools),
                );
            }
        }
        if let Some(on_done) = &self.on_done
            && !self.allows_detached()
        {
            errors.error(
                on_done.span(),
                "`on_done` is for detached tasks, and this agent starts none",
                "add `join = [single, detached]`, or leave `on_done` out",
            );
        }
        if let [context] = self.contexts.as_slice()
            && context == "shared"
            && let Some(join) = self.joins.first()
            && !self.joins.iter().any(|join| join == "single")
        {
            errors.error(
                join.span(),
                "`context = shared` needs the join `single`",
                "add `single` to `join`, or another context to `context`",
            );
        }
        let shared = self.contexts.iter().find(|context| *context == "shared");
        if let Some(shared) = shared
            && (settings.contract.is_some() || settings.turns.is_some())
        {
            errors.error(
                shared.span(),
                "an agent with a contract or with `turns` answers itself, and no other one takes over",
                "leave `shared` out, or `contract` and `turns`",
            );
        }
    }
}
