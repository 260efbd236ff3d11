//! `approve = …` of an agent: the tools whose calls a person approves before they run.

use proc_macro2::Span;
use syn::{Expr, ExprLit, Lit, Path, spanned::Spanned};

use super::{
    entries::{Entry, Value, span_of},
    paths,
    words::{in_quotes, list, nearest},
};
use crate::diag::Diagnostics;

/// What the same is called elsewhere.
pub(super) const OTHER_NAMES: [&str; 11] = [
    "approval",
    "approve_before",
    "requires_approval",
    "needs_approval",
    "confirm",
    "confirmation",
    "permission",
    "human_in_the_loop",
    "interrupt",
    "interrupt_on",
    "interrupt_before",
];

const WORDS: [&str; 2] = ["destructive", "all"];
const HELP: &str =
    "write `approve = [pay]` with the tools, `approve = destructive` or `approve = all`";

/// Which calls wait for a person.
pub(crate) enum Approval {
    /// Those of these tools.
    Of(Vec<Path>),
    /// Those of the tools that say so, as the word at this place says.
    Destructive(Span),
    /// All.
    All,
}

impl Approval {
    pub(super) fn parse(entry: Entry, errors: &mut Diagnostics) -> Option<Self> {
        if !matches!(entry.value, Value::Given(_)) {
            errors.error(entry.key.span(), "`approve` names no tools", HELP);
            return None;
        }
        let expr = entry.expr(errors)?;
        let at = span_of(&expr);
        match expr {
            Expr::Array(array) if array.elems.is_empty() => {
                errors.error(at, "`approve` names no tools", HELP);
                None
            }
            Expr::Array(array) => {
                let paths = array.elems.iter();
                let paths = paths.map(|expr| paths::path(expr, ("approve", "a tool"), errors));
                paths.collect::<Option<_>>().map(Self::Of)
            }
            Expr::Path(path) if path.path.is_ident("destructive") => Some(Self::Destructive(at)),
            Expr::Path(path) if path.path.is_ident("all") => Some(Self::All),
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => {
                let is_word = WORDS.contains(&text.value().as_str());
                let values = format!(
                    "{}, or name the tools: `approve = [{}]`",
                    list(&WORDS),
                    text.value()
                );
                in_quotes(&text, "approve", is_word, &values, errors);
                None
            }
            other => {
                let help = match &other {
                    Expr::Path(path) => help_for_word(&path.path),
                    _ => HELP.to_owned(),
                };
                errors.error(
                    at,
                    "`approve` is neither a list of tools nor a word for some",
                    help,
                );
                None
            }
        }
    }

    /// Checks what is approved against the tools of the agent.
    pub(super) fn check(&self, key: Span, tools: &[Path], errors: &mut Diagnostics) {
        if tools.is_empty() {
            errors.error(
                key,
                "a person is to approve the calls of tools, and the agent has none",
                "name them in `tools = […]`, or leave `approve` out",
            );
            return;
        }
        let Self::Of(approved) = self else { return };
        for (index, path) in approved.iter().enumerate() {
            if !tools.contains(path) {
                let name = paths::text(path);
                let (fact, help) = match WORDS.contains(&&*name) {
                    true => (
                        format!(
                            "`{name}` stands for several tools, and this list names single ones"
                        ),
                        format!(
                            "write `approve = {name}` without brackets, or name the tools alone"
                        ),
                    ),
                    false => (
                        format!("the agent has no tool `{name}`"),
                        paths::help_for_tool(path, tools),
                    ),
                };
                errors.error(path.span(), fact, help);
            } else if approved.iter().take(index).any(|other| other == path) {
                errors.error(
                    path.span(),
                    format!("`{}` is approved twice", paths::text(path)),
                    "keep one of them",
                );
            }
        }
    }

    /// Whether this tool is one of those that are named.
    pub(crate) fn names(&self, tool: &Path) -> bool {
        matches!(self, Self::Of(approved) if approved.contains(tool))
    }
}

/// What to write instead of a word that is none.
fn help_for_word(path: &Path) -> String {
    let word = paths::text(path);
    match nearest(&word, &WORDS) {
        Some(near) => format!("did you mean `{near}`? {HELP}"),
        None => format!(
            "write `approve = [{word}]` if that is a tool; the words are {}",
            list(&WORDS)
        ),
    }
}
