//! Types as they are written: a macro does not know what they are.

use syn::{Type, ext::IdentExt};

/// A type that came through a `macro_rules!` fragment or is in parentheses, without what is around it.
pub(crate) fn ungroup(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungroup(&group.elem),
        Type::Paren(paren) => ungroup(&paren.elem),
        ty => ty,
    }
}

/// The last name in the path of a type.
pub(crate) fn last_name(ty: &Type) -> Option<String> {
    let Type::Path(path) = ungroup(ty) else {
        return None;
    };
    let last = path.path.segments.last()?;
    Some(last.ident.unraw().to_string())
}

/// Whether a type is written as several states, or as something around one: what a node may return, and
/// a flow or an agent may not.
pub(crate) fn holds_several(ty: &Type) -> bool {
    match ty {
        Type::Tuple(_) => true,
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            let around = ["Either", "Result", "Option", "Vec"];
            !last.arguments.is_empty() && around.iter().any(|name| last.ident == name)
        }),
        _ => false,
    }
}
