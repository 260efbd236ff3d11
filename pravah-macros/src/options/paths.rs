//! Tools, agents and flows that an option names by their paths.

use quote::ToTokens as _;
use syn::{Expr, ExprLit, Ident, Lit, Path};

use super::{
    entries::span_of,
    words::{list, nearest},
};
use crate::{diag::Diagnostics, types::is_type_name};

/// The path of a tool, or of an agent as `what` says, in the list that is the value of `key`.
pub(super) fn path(
    expr: &Expr,
    (key, what): (&str, &str),
    errors: &mut Diagnostics,
) -> Option<Path> {
    let meant = match expr {
        // Of a `macro_rules!`.
        Expr::Group(group) => return path(&group.expr, (key, what), errors),
        Expr::Path(path) if path.qself.is_none() => {
            return (!refuse_method(&path.path, what, errors)).then(|| path.path.clone());
        }
        Expr::Lit(ExprLit {
            lit: Lit::Str(name),
            ..
        }) => syn::parse_str::<Path>(&name.value()).ok(),
        Expr::Call(call) => match (&*call.func, call.args.first()) {
            // A word of flows: what is in it is meant.
            (Expr::Path(each), Some(Expr::Path(path))) if each.path.is_ident("each") => {
                Some(path.path.clone())
            }
            (Expr::Path(path), _) => Some(path.path.clone()),
            _ => None,
        },
        Expr::Cast(cast) => match &*cast.expr {
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

/// Reports the path of a method, of which rustc would say that an associated type is ambiguous, and returns whether it is
/// one. A module is not written like a type.
fn refuse_method(path: &Path, what: &str, errors: &mut Diagnostics) -> bool {
    let is_type = |ident: &Ident| is_type_name(&ident.to_string());
    let mut names = path.segments.iter().rev().map(|segment| &segment.ident);
    let (Some(name), Some(around)) = (names.next(), names.next()) else {
        return false;
    };
    if is_type(name) || !is_type(around) {
        return false;
    }
    errors.error(
        around.span(),
        format!("`{}` is written like a method of `{around}`", text(path)),
        format!("{what} is no method: move `{name}` out of the `impl`, and write `{name}`"),
    );
    true
}

/// What to write instead of a tool that the agent does not have.
pub(super) fn help_for_tool(path: &Path, tools: &[Path]) -> String {
    if tools.is_empty() {
        return "name the agent's own tools in its `tools = […]`".to_owned();
    }
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
