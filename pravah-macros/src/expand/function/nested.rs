//! What a branch of a choice or of a fork may not be: a choice, a fork or a failure of its own; nor an item of a list.

use proc_macro2::Ident;
use syn::{Type, TypePath, ext::IdentExt, spanned::Spanned};

use super::kind::Side;
use crate::{
    diag::Diagnostics,
    types::{arguments, path_of, short},
};

/// What has branches.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outer {
    Either,
    Tuple,
}

impl Outer {
    fn text(self) -> &'static str {
        match self {
            Self::Either => "an `Either`",
            Self::Tuple => "a tuple",
        }
    }
}

/// Reports a branch that is more than one state, and returns whether it is.
pub(super) fn refuse_nested(
    name: &Ident,
    part: &Type,
    outer: Outer,
    side: Side,
    errors: &mut Diagnostics,
) -> bool {
    let (inner, help) = match part {
        Type::Group(part) => return refuse_nested(name, &part.elem, outer, side, errors),
        Type::Paren(part) => return refuse_nested(name, &part.elem, outer, side, errors),
        Type::Tuple(_) => (
            "a tuple",
            "hold its states in one `#[state]` struct, or let a node on that branch return the tuple",
        ),
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else {
                return false;
            };
            let count = arguments(last).len();
            match (&*last.ident.unraw().to_string(), count) {
                ("Either", 2) if outer == Outer::Either => (
                    "an `Either`",
                    "write an enum of all their states, such as `#[choice] enum Choice { A(A), B(B), C(C) }`",
                ),
                ("Either", 2) => (
                    "an `Either`",
                    "let a node on that branch choose: `fork(choose -> either(…), …)`",
                ),
                ("Option", 1) if outer == Outer::Tuple && side == Side::Returns => (
                    "an `Option`",
                    "put it in a field of a `#[state]` struct, and let a node on that branch choose: `fork(choose -> either(…), …)`",
                ),
                ("Result", 1 | 2) => (
                    "a `Result`",
                    "write the `Result` around all of it, and `catch(node)` in the flow for what follows a failure",
                ),
                _ => return false,
            }
        }
        _ => return false,
    };
    errors.error(
        part.span(),
        format!(
            "`{name}` {} {inner} in {}: `{}`, and each branch of it has one state",
            side.verb(),
            outer.text(),
            short(part),
        ),
        help,
    );
    true
}

/// Reports items of a list that are no states.
pub(super) fn refuse_item(
    name: &Ident,
    list: &TypePath,
    item: &Type,
    errors: &mut Diagnostics,
) -> bool {
    let last = path_of(item).and_then(|path| path.segments.last());
    let Some(last) = last else { return false };
    let help = match (&*last.ident.unraw().to_string(), arguments(last).as_slice()) {
        ("Result", [state, error]) => format!(
            "return `Result<Each<{}>, {}>`; what may fail for one item fails in the chain, `each(node)`",
            short(state),
            short(error)
        ),
        ("Option", [state]) => {
            format!(
                "return `Each<{}>`, and leave out what is `None`",
                short(state)
            )
        }
        ("Either", [_, _]) => {
            "return a list of one state, and choose in the chain: `each(choose -> either(…))`"
                .to_owned()
        }
        _ => return false,
    };
    let (list, item) = (short(&Type::Path(list.clone())), short(item));
    errors.error(
        last.ident.span(),
        format!("`{name}` returns `{list}`, and `{item}` is not a flow state"),
        help,
    );
    true
}
