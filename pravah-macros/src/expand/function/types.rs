//! What no type in the signature of a node may be or have in it, at any depth, where the tokens show it.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    FnArg, ItemFn, PathSegment, ReturnType, Token, Type, TypeParamBound, TypePath, ext::IdentExt,
    punctuated::Punctuated, spanned::Spanned,
};

use super::{
    super::plain::is_standard,
    kind::Side,
    nested::{Outer, refuse_item, refuse_nested},
};
use crate::{
    diag::Diagnostics,
    types::{arguments, around_one, path_of, short},
};

/// The most states that one tuple or `Either` in a signature may hold; for parameters see `check_signature`.
const MAX_STATES: usize = 12;

/// The help where a signature says `Self`.
pub(in crate::expand) const SELF_HELP: &str = "write the type's name instead of `Self`, and move the function out of the `impl` if it is in one";

/// Reports the first part of `ty` that names no type, and returns whether there is one.
pub(super) fn refuse_unnamed(
    name: &Ident,
    ty: &Type,
    side: Side,
    errors: &mut Diagnostics,
) -> bool {
    let Some((token, text)) = unnamed(ty.to_token_stream()) else {
        return false;
    };
    let verb = side.verb();
    match text {
        "Self" => errors.error(
            token,
            format!("`{name}` {verb} `Self`, and a node is a function outside of any `impl`"),
            SELF_HELP,
        ),
        text => errors.error(
            token,
            format!("`{name}` {verb} `{text}`, and a node {verb} concrete states"),
            match ty {
                Type::ImplTrait(ty) if is_future(&ty.bounds) => {
                    "write `async fn`, and the state that it ends with"
                }
                Type::ImplTrait(_) if side == Side::Takes => {
                    "name the state; what the host gives is `Dep<dyn Trait>`"
                }
                Type::ImplTrait(_) | Type::Infer(_) | Type::Never(_) => "name the state",
                _ => "name the type",
            },
        ),
    }
    true
}

fn is_future(bounds: &Punctuated<TypeParamBound, Token![+]>) -> bool {
    bounds.iter().any(|bound| match bound {
        TypeParamBound::Trait(bound) => {
            let last = bound.path.segments.last();
            last.is_some_and(|last| last.ident == "Future")
        }
        _ => false,
    })
}

/// The first token that stands for a type and names none.
pub(in crate::expand) fn unnamed(tokens: TokenStream) -> Option<(Span, &'static str)> {
    // `'_` is a lifetime, and `name!` a macro.
    let (mut is_lifetime, mut is_macro) = (false, false);
    for token in tokens {
        let found = match &token {
            TokenTree::Group(group) => unnamed(group.stream()),
            TokenTree::Ident(ident) if ident == "impl" => Some((ident.span(), "impl Trait")),
            TokenTree::Ident(ident) if ident == "Self" => Some((ident.span(), "Self")),
            TokenTree::Ident(ident) if ident == "_" && !is_lifetime => Some((ident.span(), "_")),
            TokenTree::Punct(punct) if punct.as_char() == '!' && !is_macro => {
                Some((punct.span(), "!"))
            }
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        is_lifetime = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
        is_macro = matches!(token, TokenTree::Ident(_));
    }
    None
}

/// A function whose signature rustc refuses as well, or that is in an `impl`: nothing but its name stays.
pub(super) fn stub(item: &ItemFn) -> Option<TokenStream> {
    let sig = &item.sig;
    let output = match &sig.output {
        // As what a function returns, and not inside of it, these are types.
        ReturnType::Type(_, ty) if matches!(**ty, Type::Never(_) | Type::ImplTrait(_)) => false,
        ReturnType::Type(_, ty) => is_refused(ty),
        ReturnType::Default => false,
    };
    let mut inputs = sig.inputs.iter().map(|arg| match arg {
        FnArg::Typed(arg) if matches!(*arg.ty, Type::ImplTrait(_)) => false,
        FnArg::Typed(arg) => is_refused(&arg.ty) || state_of_host(&arg.ty).is_some(),
        FnArg::Receiver(_) => false,
    });
    if !output && !inputs.any(|refused| refused) {
        return None;
    }
    let (vis, name) = (&item.vis, &sig.ident);
    Some(quote!(#[allow(dead_code)] #vis fn #name() { loop {} }))
}

/// Whether rustc refuses a type as well.
fn is_refused(ty: &Type) -> bool {
    unnamed(ty.to_token_stream()).is_some() || has_odd_count(ty)
}

/// What a web framework takes as `State<T>`. Here `State` is a trait.
pub(super) fn state_of_host(ty: &Type) -> Option<&Type> {
    let is_alone = path_of(ty)?.segments.len() == 1;
    let (_, value) = around_one(ty, &["State"])?;
    is_alone.then_some(value)
}

fn has_odd_count(ty: &Type) -> bool {
    match ty {
        Type::Group(ty) => has_odd_count(&ty.elem),
        Type::Paren(ty) => has_odd_count(&ty.elem),
        Type::Reference(ty) => has_odd_count(&ty.elem),
        Type::Tuple(tuple) => tuple.elems.iter().any(has_odd_count),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            let parts = arguments(last);
            let is_odd = match parts.len() {
                0 => false,
                1 => last.ident == "Either",
                2 => last.ident == "Failure",
                _ => last.ident == "Either" || last.ident == "Failure",
            };
            is_odd || parts.into_iter().any(has_odd_count)
        }),
        _ => false,
    }
}

/// Whether a signature says `Self`: then it is in an `impl`, where there is no place for more items.
pub(super) fn says_self(item: &ItemFn) -> bool {
    let (inputs, output) = (&item.sig.inputs, &item.sig.output);
    contains_self(quote!(#inputs #output))
}

fn contains_self(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => contains_self(group.stream()),
        token => matches!(token, TokenTree::Ident(ident) if ident == "Self"),
    })
}

/// Reports what is where a state is expected, in `ty` or in what is around states in it, and
/// returns whether it is reported.
pub(super) fn refuse_stateless(
    name: &Ident,
    ty: &Type,
    side: Side,
    errors: &mut Diagnostics,
) -> bool {
    match ty {
        Type::Group(ty) => refuse_stateless(name, &ty.elem, side, errors),
        Type::Paren(ty) => refuse_stateless(name, &ty.elem, side, errors),
        Type::Tuple(tuple) => {
            let count = tuple.elems.len();
            if count > MAX_STATES {
                errors.error(
                    ty.span(),
                    format!("`{name}` {} {count} states, and {MAX_STATES} is the most", side.verb()),
                    "let another node after it make some of them, or hold several in one `#[state]` struct",
                );
                return true;
            }
            if count == 0 && side == Side::Returns {
                errors.error(
                    ty.span(),
                    format!("`{name}` returns no state"),
                    "return the state that goes on from it",
                );
                return true;
            }
            let mut parts = tuple.elems.iter();
            parts.any(|part| {
                refuse_nested(name, part, Outer::Tuple, side, errors)
                    || refuse_stateless(name, part, side, errors)
            })
        }
        Type::Path(path) => refuse_path(name, path, side, errors),
        _ => false,
    }
}

fn refuse_path(name: &Ident, ty: &TypePath, side: Side, errors: &mut Diagnostics) -> bool {
    let Some(last) = ty.path.segments.last() else {
        return false;
    };
    let parts = arguments(last);
    let text = last.ident.unraw().to_string();
    match (&*text, parts.as_slice()) {
        ("Vec", [item]) => refuse_vector(name, ty.span(), item, side, errors),
        ("Arc" | "Box" | "Rc", [state]) if !matches!(state, Type::TraitObject(_)) => {
            refuse_pointer(name, last, state, side, errors)
        }
        ("Either", parts) if parts.len() != 2 && !parts.is_empty() => {
            refuse_either(name, last, parts, side, errors);
            true
        }
        // The error is no state.
        ("Result", [output, ..]) if side == Side::Returns => {
            refuse_stateless(name, output, side, errors)
        }
        ("Result", [output, ..]) => {
            refuse_result(name, last, output, errors);
            true
        }
        ("bool", []) if side == Side::Returns => {
            errors.error(
                last.ident.span(),
                format!("`{name}` returns `bool`, which is not a flow state"),
                "return `Either<A, B>` where two branches follow, or hold it in a field of a `#[state]` struct",
            );
            true
        }
        ("Pin", [boxed]) if side == Side::Returns && is_boxed_future(boxed) => {
            errors.error(
                last.ident.span(),
                format!("`{name}` returns a future, and a node returns states"),
                "write `async fn`, and the state that the future ends with",
            );
            true
        }
        ("Option", [state]) => {
            refuse_option(name, last, state, side, errors);
            true
        }
        ("Either", parts) => {
            let mut parts = parts.iter();
            parts.any(|part| {
                refuse_nested(name, part, Outer::Either, side, errors)
                    || refuse_stateless(name, part, side, errors)
            })
        }
        ("Each", [item]) if side == Side::Returns && refuse_item(name, ty, item, errors) => true,
        ("Failure", parts @ [_, _, ..]) => {
            let states: Vec<_> = parts.iter().map(|part| short(part)).collect();
            let states = states.join(", ");
            errors.error(
                last.ident.span(),
                format!("`{name}` takes `Failure<{states}>`, and a failure has one input"),
                format!(
                    "write `Failure<({states})>`, with a tuple of what the node takes that failed"
                ),
            );
            true
        }
        ("Each" | "Failure", parts) => {
            let mut parts = parts.iter();
            parts.any(|part| refuse_stateless(name, part, side, errors))
        }
        _ => false,
    }
}

fn refuse_vector(
    name: &Ident,
    at: Span,
    item: &Type,
    side: Side,
    errors: &mut Diagnostics,
) -> bool {
    let may_be_state = !is_standard(item);
    let item = short(item);
    let whole = "a list that stays whole goes into a field of a `#[state]` struct";
    let help = match (may_be_state, side) {
        (false, _) => "put it in a field of a `#[state]` struct".to_owned(),
        (true, Side::Takes) => format!(
            "to join branches, write one parameter for each; for the list that an `each(…)` makes, write `Each<{item}>`; {whole}"
        ),
        (true, Side::Returns) => {
            format!("write `Each<{item}>` for a list whose items are states; {whole}")
        }
    };
    let verb = side.verb();
    errors.error(
        at,
        format!("`{name}` {verb} `Vec<{item}>`, which is not a flow state"),
        help,
    );
    true
}

fn refuse_pointer(
    name: &Ident,
    pointer: &PathSegment,
    state: &Type,
    side: Side,
    errors: &mut Diagnostics,
) -> bool {
    let (at, state) = (pointer.ident.span(), short(state));
    let text = format!("{}<{state}>", pointer.ident);
    errors.error(
        at,
        format!(
            "`{name}` {} `{text}`, which is not a flow state",
            side.verb()
        ),
        match side {
            Side::Takes if state.contains('<') => {
                format!("write `{state}`: a node runs when what it takes is there")
            }
            Side::Takes => format!(
                "write `{state}`, or `&{state}`, which is not copied; `Dep<{state}>` for a value of the host's own"
            ),
            Side::Returns => format!("write `{state}`: the run shares it where it can"),
        },
    );
    true
}

fn refuse_option(
    name: &Ident,
    option: &PathSegment,
    state: &Type,
    side: Side,
    errors: &mut Diagnostics,
) {
    let state = short(state);
    errors.error(
        option.ident.span(),
        format!(
            "`{name}` {} `Option<{state}>`, which is not a flow state",
            side.verb()
        ),
        match side {
            Side::Takes if state.starts_with("Latest<") => format!(
                "write `{state}`: the compiler proves that it is there; what may not be there yet, such as in the first round of a loop, is an `Option` in a field of a state that the node takes"
            ),
            Side::Takes if state.contains('<') => {
                format!("write `{state}`: a node runs when what it takes is there")
            }
            Side::Takes => format!(
                "write `{state}`: a node runs when its states are there; or `Either<{state}, Other>` behind a choice"
            ),
            Side::Returns => format!(
                "write `Either<{state}, Nothing>`, where `#[state] struct Nothing {{}}` goes on without it, or `Result<{state}, FlowError>` if that is a failure"
            ),
        },
    );
}

fn refuse_result(name: &Ident, result: &PathSegment, output: &Type, errors: &mut Diagnostics) {
    let output = short(output);
    errors.error(
        result.ident.span(),
        format!("`{name}` takes `Result<{output}, _>`, which is not a flow state"),
        format!(
            "write `{output}`: a failure of the node before it stops the run, unless `catch(node) -> rescue` takes it, where `rescue` takes `Failure<A>` with the `A` that `node` took"
        ),
    );
}

/// `Box<dyn Future<…>>`.
fn is_boxed_future(ty: &Type) -> bool {
    let Type::Path(path) = ty else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| {
        last.ident == "Box"
            && arguments(last).iter().any(|inside| match inside {
                Type::TraitObject(object) => is_future(&object.bounds),
                _ => false,
            })
    })
}

fn refuse_either(
    name: &Ident,
    either: &PathSegment,
    parts: &[&Type],
    side: Side,
    errors: &mut Diagnostics,
) {
    let count = match parts.len() {
        1 => "one state".to_owned(),
        count => format!("{count} states"),
    };
    let fact = format!(
        "`{name}` {} `Either` of {count}, and `Either` is one of two",
        side.verb(),
    );
    if parts.len() < 2 {
        errors.error(
            either.ident.span(),
            fact,
            "write both of them, `Either<A, B>`, or the one state without `Either`",
        );
        return;
    }
    let variants = parts.iter().map(|part| {
        let part = short(part);
        format!("{part}({part})")
    });
    let variants = variants.collect::<Vec<_>>().join(", ");
    errors.error(
        either.ident.span(),
        fact,
        format!(
            "write an enum of them, `#[choice] enum Choice {{ {variants} }}`, and its name here"
        ),
    );
}
