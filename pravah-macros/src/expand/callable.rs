//! Fields that hold functions, which no state has: nothing writes one as JSON.

use syn::{
    Attribute, Field, GenericArgument, Item, PathArguments, Type, TypeParamBound, TypeTraitObject,
    parse_quote, spanned::Spanned,
};

use super::{attributes, owned};
use crate::{
    diag::Diagnostics,
    types::{arguments, path_of, ungroup},
};

/// What a function is kept in.
const CONTAINERS: [&str; 5] = ["Box", "Rc", "Arc", "Option", "Vec"];

/// Refuses each field that holds a function and says nothing of its JSON, before every derive refuses it.
pub(super) fn check(item: &Item, errors: &mut Diagnostics) -> bool {
    let fields = plain_fields(item).into_iter();
    let found: Vec<_> = fields.filter(|field| is_callable(&field.ty)).collect();
    for field in &found {
        errors.error(
            field.ty.span(),
            match &field.ident {
                Some(field) => {
                    format!("the field `{field}` holds a function, and a state is data")
                }
                None => "a field of the state holds a function, and a state is data".to_owned(),
            },
            "hold what says which function it is, such as an enum, and call it in a node; one that the host provides is a `Dep<_>` of that node",
        );
    }
    found.is_empty()
}

/// The fields that serde and schemars are told nothing about.
fn plain_fields(item: &Item) -> Vec<&Field> {
    let is_plain = |attrs: &[Attribute]| !attrs.iter().any(attributes::is_about_json);
    let fields: Vec<&Field> = match item {
        Item::Enum(item) => {
            let variants = item.variants.iter();
            let variants = variants.filter(|variant| is_plain(&variant.attrs));
            variants.flat_map(|variant| &variant.fields).collect()
        }
        item => owned::fields(item),
    };
    let fields = fields.into_iter();
    fields.filter(|field| is_plain(&field.attrs)).collect()
}

fn is_callable(ty: &Type) -> bool {
    match ungroup(ty) {
        Type::FnPtr(_) => true,
        Type::TraitObject(object) => is_function(object),
        ty => path_of(ty)
            .and_then(|path| path.segments.last())
            .filter(|last| CONTAINERS.iter().any(|name| last.ident == name))
            .is_some_and(|last| arguments(last).into_iter().any(is_callable)),
    }
}

/// Only a trait of the standard library has parentheses.
fn is_function(object: &TypeTraitObject) -> bool {
    object.bounds.iter().any(|bound| match bound {
        TypeParamBound::Trait(bound) => bound
            .path
            .segments
            .last()
            .is_some_and(|last| matches!(last.arguments, PathArguments::Parenthesized(_))),
        _ => false,
    })
}

/// Lets threads share the functions, of which a flow would have to say that they do not.
pub(super) fn share(item: &mut Item) {
    for field in owned::fields_mut(item) {
        share_in(&mut field.ty);
    }
}

fn share_in(ty: &mut Type) {
    match ty {
        Type::Group(group) => share_in(&mut group.elem),
        Type::Paren(paren) => share_in(&mut paren.elem),
        Type::TraitObject(object) if is_function(object) => {
            object.bounds.push(parse_quote!(::core::marker::Send));
            object.bounds.push(parse_quote!(::core::marker::Sync));
        }
        Type::Path(path) => {
            for segment in &mut path.path.segments {
                if let PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
                    for argument in &mut arguments.args {
                        if let GenericArgument::Type(ty) = argument {
                            share_in(ty);
                        }
                    }
                }
            }
        }
        _ => {}
    }
}
