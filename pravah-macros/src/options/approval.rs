//! `approve = …` of an agent: the tools whose calls a person approves before they run.

use proc_macro2::Span;
use quote::ToTokens as _;
use syn::{Expr, ExprLit, Lit, Path, spanned::Spanned};

use super::{
    entries::{Entry, Value, span_of},
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
                let paths = paths.map(|expr| path(expr, ("approve", "a tool"), errors));
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
                let name = text(path);
                errors.error(
                    path.span(),
                    format!("the agent has no tool `{name}`"),
                    help_for_tool(path, tools),
                );
            } else if approved.iter().take(index).any(|other| other == path) {
                errors.error(
                    path.span(),
                    format!("`{}` is approved twice", text(path)),
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

/// The path of a tool, or of an agent as `what` says, in the list that is the value of `key`.
pub(super) fn path(
    expr: &Expr,
    (key, what): (&str, &str),
    errors: &mut Diagnostics,
) -> Option<Path> {
    let meant = match expr {
        // Of a `macro_rules!`.
        Expr::Group(group) => return path(&group.expr, (key, what), errors),
        Expr::Path(path) if path.qself.is_none() => return Some(path.path.clone()),
        Expr::Lit(ExprLit {
            lit: Lit::Str(name),
            ..
        }) => syn::parse_str::<Path>(&name.value()).ok(),
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => Some(path.path.clone()),
            _ => None,
        },
        _ => None,
    };
    let meant = meant.map_or_else(|| "a, b".to_owned(), |path| text(&path));
    errors.error(
        span_of(expr),
        format!("{what} is named by its path"),
        format!("write `{key} = [{meant}]`"),
    );
    None
}

/// What to write instead of a word that is none.
fn help_for_word(path: &Path) -> String {
    let word = text(path);
    match nearest(&word, &WORDS) {
        Some(near) => format!("did you mean `{near}`? {HELP}"),
        None => format!(
            "write `approve = [{word}]` if that is a tool; the words are {}",
            list(&WORDS)
        ),
    }
}

/// What to write instead of a tool that the agent does not have.
pub(super) fn help_for_tool(path: &Path, tools: &[Path]) -> String {
    if tools.is_empty() {
        return "name the agent's own tools in its `tools = […]`".to_owned();
    }
    let last = |path: &Path| path.segments.last().map(|last| last.ident.clone());
    if let Some(same) = tools.iter().find(|tool| last(tool) == last(path)) {
        return format!("write `{}`, as in `tools`", text(same));
    }
    let names: Vec<String> = tools.iter().map(text).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let all = match names.as_slice() {
        [only] => format!("its only tool is `{only}`"),
        names => format!("its tools are {}", list(names)),
    };
    match nearest(&text(path), &names) {
        Some(near) => format!("did you mean `{near}`? {all}"),
        None => format!("add it to `tools`, or leave it out: {all}"),
    }
}

/// The last name in a path.
pub(super) fn last(path: &Path) -> String {
    let last = path.segments.last();
    last.map_or_else(String::new, |last| last.ident.to_string())
}

/// A path as its author wrote it.
pub(super) fn text(path: &Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}
