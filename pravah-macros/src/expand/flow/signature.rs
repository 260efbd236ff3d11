//! What a flow may not start or end with, where it shows how that is written.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Type, spanned::Spanned};

use crate::{
    diag::Diagnostics,
    expand::function::{SELF_HELP, unnamed},
    options::FlowOptions,
    types::{around, path_of, short, ungroup},
};

/// Reports the first part of a type that names none.
pub(super) fn refuse_unnamed(
    name: &Ident,
    verb: &str,
    ty: &Type,
    errors: &mut Diagnostics,
) -> bool {
    let Some((token, text)) = unnamed(ty.to_token_stream()) else {
        return false;
    };
    let (why, help) = match text {
        "Self" => ("a flow is a function outside of any `impl`", SELF_HELP),
        _ => ("a flow has concrete states", "name the state"),
    };
    let fact = format!("the flow `{name}` {verb} `{text}`, and {why}");
    errors.error(token, fact, help);
    true
}

/// Reports an input that is a primitive, or a type of the standard library or of `serde_json` by its path: a flow is known by
/// its input.
pub(super) fn refuse_foreign(name: &Ident, ty: &Type, errors: &mut Diagnostics) -> bool {
    let Some(path) = path_of(ty).filter(|_| is_foreign(ty)) else {
        return false;
    };
    let text = short(ty);
    let field = if text == "str" { "String" } else { &text };
    errors.error(
        path.span(),
        format!("the flow `{name}` starts with `{text}`, which is no type of yours"),
        format!("hold it in a struct: `#[state] struct Request {{ value: {field} }}`"),
    );
    true
}

fn is_foreign(ty: &Type) -> bool {
    // A state of the user's may be called `String`.
    const PRIMITIVES: [&str; 17] = [
        "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
        "f32", "f64", "bool", "char", "str",
    ];
    let Some(path) = path_of(ty) else {
        return false;
    };
    let first = path.segments.first().filter(|_| path.segments.len() > 1);
    let of_crate = |name: &&str| first.is_some_and(|first| first.ident == *name);
    PRIMITIVES.iter().any(|name| path.is_ident(name)) || ["std", "serde_json"].iter().any(of_crate)
}

/// Reports an input that is no state, or that only a flow with a name of its own can start with: one
/// without is known by its input, which has to be a type of the user's.
pub(super) fn refuse_input(
    name: &Ident,
    ty: &Type,
    options: &FlowOptions,
    errors: &mut Diagnostics,
) -> bool {
    let Some(around) = around_states(ty) else {
        return false;
    };
    let (fact, help) = match &*around {
        "Each" | "Failure" if options.named.is_some() => return false,
        "Each" | "Failure" => (
            format!("the flow `{name}` starts with `{around}`, which is no type of yours"),
            format!("write `#[flow(named)]`: the flow is then started by its name, `{name}`"),
        ),
        "Vec" => (
            format!("the flow `{name}` starts with `Vec`, which is not a flow state"),
            "write `#[flow(named)]` above it and `Each` instead of `Vec`, or hold the list in a field of a `#[state]` struct".to_owned(),
        ),
        _ => (
            format!("the flow `{name}` starts with {around}, and a run starts with one state"),
            "start with a `#[state]` struct or enum that holds them, and let the first node return what goes on".to_owned(),
        ),
    };
    errors.error(ty.span(), fact, help);
    true
}

/// What is around the states in a type: the name of a type of the runtime or of a list.
fn around_states(ty: &Type) -> Option<String> {
    match ungroup(ty) {
        Type::Tuple(_) => Some("a tuple".to_owned()),
        ty => {
            around(ty, &["Either", "Each", "Failure", "Vec"]).map(|name| match name == "Either" {
                true => "`Either`".to_owned(),
                false => name.to_string(),
            })
        }
    }
}
