//! What a function asks for in words that something else has: a dependency behind a pointer, a borrowed state
//! in `Latest<_>`, the branches of a fork as an array.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{
    Pat, PatType, Type, TypeArray, TypePath, TypeTraitObject, ext::IdentExt, spanned::Spanned,
};

use crate::{
    diag::Diagnostics,
    types::{arguments, last_name, path_of, short, ungroup},
};

/// Reports a state that is borrowed in what reads it, and returns whether it is.
pub(super) fn refuse_borrowed(name: &Ident, ty: &Type, errors: &mut Diagnostics) -> bool {
    let Some(last) = path_of(ty).and_then(|path| path.segments.last()) else {
        return false;
    };
    let reads = last.ident.unraw().to_string();
    let state = match (&*reads, arguments(last).as_slice()) {
        ("Latest" | "Input", [Type::Reference(state)]) => state,
        ("Either" | "Each" | "Failure", states) => {
            return refuse_borrowed_states(name, ty, states, errors);
        }
        ("Latest", [Type::Path(path)]) => {
            return refuse_list(name, path, errors) || refuse_several(name, path, errors);
        }
        _ => return false,
    };
    let inner = short(&state.elem);
    errors.error(
        state.and_token.span,
        format!(
            "`{name}` asks for `{}`, and `{reads}<_>` names a state",
            short(ty)
        ),
        format!("write `{reads}<{inner}>`: the state in it is shared, and not copied"),
    );
    true
}

/// Reports references in a choice or a list, which own their states.
fn refuse_borrowed_states(
    name: &Ident,
    ty: &Type,
    states: &[&Type],
    errors: &mut Diagnostics,
) -> bool {
    let mut references = states.iter().filter_map(|state| match state {
        Type::Reference(state) => Some(state),
        _ => None,
    });
    let Some(first) = references.next() else {
        return false;
    };
    let owned = states.iter().map(|state| match state {
        Type::Reference(state) => short(&state.elem),
        state => short(state),
    });
    let owned: Vec<_> = owned.collect();
    let whole = last_name(ty).unwrap_or_default();
    errors.error(
        first.and_token.span,
        format!(
            "`{name}` takes `{}`, and `{whole}` owns the states in it",
            short(ty)
        ),
        format!(
            "write `{whole}<{}>`, or a `&` before the whole of it",
            owned.join(", ")
        ),
    );
    true
}

/// Reports a plain list in what reads a state, and returns whether it is one.
fn refuse_list(name: &Ident, ty: &TypePath, errors: &mut Diagnostics) -> bool {
    let Some(last) = ty.path.segments.last().filter(|last| last.ident == "Vec") else {
        return false;
    };
    let items = arguments(last);
    let Some(item) = items.first().map(|item| short(item)) else {
        return false;
    };
    errors.error(
        last.ident.span(),
        format!("`{name}` asks for `Latest<Vec<{item}>>`, but `Vec<{item}>` is not a state"),
        format!("write `Latest<Each<{item}>>` for a list of states; a list of anything else goes into a field of a `#[state]` struct"),
    );
    true
}

/// Reports a choice in what reads one state, and returns whether it is one.
fn refuse_several(name: &Ident, ty: &TypePath, errors: &mut Diagnostics) -> bool {
    let last = ty.path.segments.last();
    let Some(last) = last.filter(|last| last.ident == "Either" && arguments(last).len() == 2)
    else {
        return false;
    };
    let either = short(&Type::Path(ty.clone()));
    errors.error(
        last.ident.span(),
        format!("`{name}` asks for `Latest<{either}>`, and `Latest<_>` names one state"),
        format!("let a node behind the choice take `{either}` and return one state, and read that"),
    );
    true
}

/// Reports what a function asks for where it is taken apart, as other frameworks do, and returns whether it is.
pub(super) fn refuse_pattern(name: &Ident, arg: &PatType, errors: &mut Diagnostics) -> bool {
    let Pat::TupleStruct(pattern) = &*arg.pat else {
        return false;
    };
    let (Some(last), [Pat::Ident(inner)]) = (
        pattern.path.segments.last(),
        pattern.elems.iter().collect::<Vec<_>>().as_slice(),
    ) else {
        return false;
    };
    let asked = path_of(&arg.ty).and_then(|path| path.segments.last());
    let is_asked = asked.is_some_and(|asked| !arguments(asked).is_empty());
    let asks = ["Dep", "Latest", "Input"];
    if !is_asked || !asks.iter().any(|asks| last.ident == asks) {
        return false;
    }
    let (asks, inner) = (&last.ident, &inner.ident);
    errors.error(
        asks.span(),
        format!("`{name}` destructures `{asks}<_>`, whose field is private"),
        format!(
            "write `{inner}: {}`, and use it like a reference to the value",
            short(&arg.ty)
        ),
    );
    true
}

/// Reports a trait object that is meant to be given by the host, and returns whether it is one.
pub(super) fn refuse_object(name: &Ident, ty: &Type, errors: &mut Diagnostics) -> bool {
    let Some(help) = help_for_object(ty) else {
        return false;
    };
    let fact = format!("`{name}` takes `{}`, which is not a flow state", short(ty));
    errors.error(ty.span(), fact, help);
    true
}

/// What to write for a trait object that is meant to be given by the host; nothing for other types.
pub(in crate::expand) fn help_for_object(ty: &Type) -> Option<String> {
    let object = object(ty).filter(|_| !is_error_object(ty))?;
    let object = short(&Type::TraitObject(object.clone()));
    Some(format!(
        "write `Dep<{object}>` for what the host gives: `Context::default().with_dep_arc(value)`, where `value` is an `Arc<{object}>`"
    ))
}

/// The trait object that a type is, or that a pointer holds.
fn object(ty: &Type) -> Option<&TypeTraitObject> {
    match ungroup(ty) {
        Type::TraitObject(object) => Some(object),
        Type::Reference(reference) => object(&reference.elem),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let is_pointer = ["Arc", "Box", "Rc"].iter().any(|name| last.ident == name);
            match arguments(last).as_slice() {
                [inner] if is_pointer => object(inner),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether a type is an error as a trait object, which is what one expects behind a `catch`.
pub(super) fn is_error_object(ty: &Type) -> bool {
    let bounds = object(ty).into_iter().flat_map(|object| &object.bounds);
    let mut names = bounds.filter_map(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => bound.path.segments.last(),
        _ => None,
    });
    names.any(|last| last.ident == "Error")
}

/// Reports an array, which looks like the branches of a fork.
pub(super) fn refuse_array(name: &Ident, array: &TypeArray, errors: &mut Diagnostics) {
    let item = short(&array.elem);
    let count = array.len.to_token_stream().to_string();
    errors.error(
        array.span(),
        format!("`{name}` takes `[{item}; {count}]`, which is not a flow state"),
        format!(
            "write a parameter for each of several branches, such as `first: {item}, second: {item}`: they are filled in the order of the branches; `Each<{item}>` is what an `each(…)` returns"
        ),
    );
}
