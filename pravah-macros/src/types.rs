//! Types as they are written: a macro does not know what they are.

use syn::Type;

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
