//! Types as they are written: a macro does not know what they are.

use quote::ToTokens;
use syn::{GenericArgument, Ident, Path, PathArguments, PathSegment, Type, ext::IdentExt};

/// A type that came through a `macro_rules!` fragment or is in parentheses, without what is around it.
pub(crate) fn ungroup(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungroup(&group.elem),
        Type::Paren(paren) => ungroup(&paren.elem),
        ty => ty,
    }
}

/// The path that a type is written as.
pub(crate) fn path_of(ty: &Type) -> Option<&Path> {
    match ungroup(ty) {
        Type::Path(ty) => Some(&ty.path),
        _ => None,
    }
}

/// The last name in the path of a type.
pub(crate) fn last_name(ty: &Type) -> Option<String> {
    let last = path_of(ty)?.segments.last()?;
    Some(last.ident.unraw().to_string())
}

/// Whether a type is written as one name. A function that is handed on as `<A as Trait>::function` is labelled at the
/// first token of `A`, a call of it at all of `A`: a mistake in a longer type is only said once if all are calls.
pub(crate) fn is_one_name(ty: &Type) -> bool {
    path_of(ty).is_some_and(|path| path.get_ident().is_some())
}

/// The two types of a `Result` that is written with both.
pub(crate) fn result_of(ty: &Type) -> Option<(&Type, &Type)> {
    let last = path_of(ty)?.segments.last();
    let last = last.filter(|last| last.ident == "Result")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let mut types = arguments.args.iter().map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    let both = (types.next()??, types.next()??);
    types.next().is_none().then_some(both)
}

/// The types in the `<…>` of a name.
pub(crate) fn arguments(segment: &PathSegment) -> Vec<&Type> {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return Vec::new();
    };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ungroup(ty)),
        _ => None,
    });
    types.collect()
}

/// The outermost `Invoke<…>` in a type.
pub(crate) fn invoke_in(ty: &Type) -> Option<&Type> {
    let ty = ungroup(ty);
    if around(ty, &["Invoke"]).is_some() {
        return Some(ty);
    }
    match ty {
        Type::Tuple(tuple) => tuple.elems.iter().find_map(invoke_in),
        Type::Reference(reference) => invoke_in(&reference.elem),
        Type::Path(path) => {
            let mut inside = path.path.segments.iter().flat_map(arguments);
            inside.find_map(invoke_in)
        }
        _ => None,
    }
}

/// The name that is around something in a type, as `Vec` in `Vec<A>`, if it is one of these.
pub(crate) fn around<'a>(ty: &'a Type, names: &[&str]) -> Option<&'a Ident> {
    let last = path_of(ty)?.segments.last()?;
    let is_one = !last.arguments.is_empty() && names.iter().any(|name| last.ident == name);
    is_one.then_some(&last.ident)
}

/// The same, with the one type inside.
pub(crate) fn around_one<'a>(ty: &'a Type, names: &[&str]) -> Option<(&'a Ident, &'a Type)> {
    let wrapper = around(ty, names)?;
    match arguments(path_of(ty)?.segments.last()?).as_slice() {
        [inside] => Some((wrapper, *inside)),
        _ => None,
    }
}

/// Whether a type is written as several states, or as something around one: what a node may return, and
/// a flow or an agent may not.
pub(crate) fn holds_several(ty: &Type) -> bool {
    matches!(ungroup(ty), Type::Tuple(_))
        || around(ty, &["Either", "Result", "Option", "Vec"]).is_some()
}

/// Whether a type is a trait object, or a path with one in its `<…>`.
pub(crate) fn holds_object(ty: &Type) -> bool {
    match ungroup(ty) {
        Type::TraitObject(_) => true,
        Type::Path(ty) => {
            let mut inside = ty.path.segments.iter().flat_map(arguments);
            inside.any(holds_object)
        }
        _ => false,
    }
}

/// Whether a name is written as those of types are.
pub(crate) fn is_type_name(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// A type as its user wrote it, in one line.
pub(crate) fn short(ty: &Type) -> String {
    let text = ty.to_token_stream().to_string();
    text.replace("& ", "&")
        .replace(" < ", "<")
        .replace(" <", "<")
        .replace("< ", "<")
        .replace(" >", ">")
        .replace(" ,", ",")
        .replace(" :: ", "::")
}
