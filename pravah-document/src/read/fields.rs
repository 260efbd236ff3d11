//! Fields of objects, and their types.

use super::Context;
use crate::{
    compare::whole_number,
    problem::Found,
    tree::{Data, Entry, Span, Tree},
};

/// The entries of an object that has these keys and no others.
pub(crate) fn object<'a>(
    tree: &'a Tree,
    what: &str,
    keys: &[&str],
    context: &mut Context<'_, '_>,
) -> Option<&'a [Entry]> {
    let Some(entries) = tree.as_map() else {
        wrong_type(tree, what, "an object", context);
        return None;
    };
    for entry in entries
        .iter()
        .filter(|entry| !keys.contains(&entry.key.as_str()))
    {
        let near = context.nearest(&entry.key, keys.iter().copied());
        let message = format!("{what} has no key `{}`", entry.key);
        let problem = context.sink.push("unknown-key", entry.key_span, message);
        problem
            .help(format!("its keys are {}", list_of(keys)))
            .did_you_mean(near);
        if entry.key == "<<" {
            problem.help("YAML 1.2 has no merge keys; an alias repeats a whole value");
        }
    }
    Some(entries)
}

/// Words in quotes: `a`, `b` and `c`.
pub(crate) fn list_of<T: AsRef<str>>(words: &[T]) -> String {
    let quoted: Vec<_> = words
        .iter()
        .map(|word| format!("`{}`", word.as_ref()))
        .collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

/// Reports a binding in place of what is needed before a run.
pub(super) fn not_fixed<T>(tree: &Tree, what: &str, context: &mut Context<'_, '_>) -> Option<T> {
    push_not_fixed(tree, what, context).help("write it out");
    None
}

pub(super) fn push_not_fixed<'c>(
    tree: &Tree,
    what: &str,
    context: &'c mut Context<'_, '_>,
) -> &'c mut Found {
    let message = format!("{what} is needed before a run, and cannot be a binding");
    context.sink.push("not-fixed", tree.span, message)
}

pub(super) fn missing<T>(
    span: Span,
    what: &str,
    key: &str,
    context: &mut Context<'_, '_>,
) -> Option<T> {
    context
        .sink
        .push("missing-key", span, format!("{what} has no `{key}`"));
    None
}

/// Says that a value is not what it has to be, unless something was said of it already.
pub(super) fn wrong_type(tree: &Tree, what: &str, expected: &str, context: &mut Context<'_, '_>) {
    if !tree.is_invalid() {
        let message = format!("{what} is {}, and has to be {expected}", tree.kind());
        context.sink.push("wrong-type", tree.span, message);
    }
}

pub(super) fn text<'a>(
    tree: &'a Tree,
    key: &str,
    context: &mut Context<'_, '_>,
) -> Option<&'a str> {
    match tree.as_str() {
        Some(text) => Some(text),
        None => {
            wrong_type(tree, &format!("`{key}`"), "a string", context);
            None
        }
    }
}

pub(super) fn boolean(tree: &Tree, key: &str, context: &mut Context<'_, '_>) -> Option<bool> {
    match tree.data {
        Data::Bool(value) => Some(value),
        _ => {
            wrong_type(tree, &format!("`{key}`"), "true or false", context);
            None
        }
    }
}

/// A whole number of at least `least`.
pub(super) fn whole(
    tree: &Tree,
    key: &str,
    least: u64,
    context: &mut Context<'_, '_>,
) -> Option<u64> {
    let number = match &tree.data {
        Data::Number(number) => whole_number(number),
        _ => {
            wrong_type(tree, &format!("`{key}`"), "a whole number", context);
            return None;
        }
    };
    let number = number.filter(|number| (least..=u64::from(u32::MAX)).contains(number));
    if number.is_none() {
        let message = format!(
            "`{key}` has to be a whole number from {least} to {}",
            u32::MAX
        );
        context.sink.push("out-of-range", tree.span, message);
    }
    number
}

pub(super) fn count(
    tree: &Tree,
    key: &str,
    least: u64,
    context: &mut Context<'_, '_>,
) -> Option<u32> {
    whole(tree, key, least, context).and_then(|number| u32::try_from(number).ok())
}

pub(super) fn list<'a>(
    tree: &'a Tree,
    what: &str,
    context: &mut Context<'_, '_>,
) -> Option<&'a [Tree]> {
    let items = tree.as_list();
    if items.is_none() {
        wrong_type(tree, what, "a list", context);
    }
    items
}
