//! Fields that borrow or have no size, which no state has.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{GenericArgument, Item, PathArguments, PathSegment, Type, parse_quote, spanned::Spanned};

use super::attributes;
use crate::{
    diag::Diagnostics,
    types::{short, ungroup},
};

/// All fields of a struct, or of an enum's variants.
pub(super) fn fields(item: &Item) -> Vec<&syn::Field> {
    match item {
        Item::Struct(item) => item.fields.iter().collect(),
        Item::Enum(item) => item
            .variants
            .iter()
            .flat_map(|variant| &variant.fields)
            .collect(),
        _ => Vec::new(),
    }
}

/// The same, to be changed.
pub(super) fn fields_mut(item: &mut Item) -> Vec<&mut syn::Field> {
    match item {
        Item::Struct(item) => item.fields.iter_mut().collect(),
        Item::Enum(item) => item
            .variants
            .iter_mut()
            .flat_map(|variant| &mut variant.fields)
            .collect(),
        _ => Vec::new(),
    }
}

/// A state is read from JSON that is gone afterwards: no field borrows, and each has a size.
pub(super) fn check(item: &Item, errors: &mut Diagnostics) -> bool {
    let fields = fields(item);
    let is_skipped = |field: &syn::Field| {
        let metas = field
            .attrs
            .iter()
            .filter_map(|attr| attributes::metas(attr, "serde"));
        metas.flatten().any(|meta| {
            let with = ["skip", "skip_deserializing", "with", "deserialize_with"];
            with.iter().any(|name| meta.path().is_ident(name))
        })
    };
    let fields = fields.into_iter().filter(|field| !is_skipped(field));
    let fields: Vec<_> = fields.collect();
    let cows = fields
        .iter()
        .filter_map(|field| cow_without_lifetime(&field.ty));
    let cows: Vec<_> = cows.collect();
    for cow in &cows {
        errors.error(
            cow.ident.span(),
            "a `Cow` borrows, and a state owns its data",
            "write the owned type, such as `String` for `Cow<str>`",
        );
    }
    let borrowing = fields
        .iter()
        .filter_map(|field| Some((field, borrowed(&field.ty)?)));
    let borrowing: Vec<_> = borrowing.collect();
    for (field, reference) in &borrowing {
        errors.error(
            reference.span(),
            match &field.ident {
                Some(field) => format!("the field `{field}` borrows, and a state owns its data"),
                None => "a field of the state borrows, and a state owns its data".to_owned(),
            },
            format!("write `{}`", owned_text(reference)),
        );
    }
    let unsized_fields = fields
        .iter()
        .filter_map(|field| Some((field, unsized_type(&field.ty)?)));
    let unsized_fields: Vec<_> = unsized_fields.collect();
    for (field, ty) in &unsized_fields {
        let field = match &field.ident {
            Some(field) => format!("the field `{field}`"),
            None => "a field of the state".to_owned(),
        };
        let text = short(ty);
        let help = match ty {
            Type::TraitObject(_) => {
                "name the concrete type, or write an enum of those that it may be".to_owned()
            }
            Type::Slice(slice) => format!("write `Vec<{}>`", short(&slice.elem)),
            _ => "write `String`".to_owned(),
        };
        errors.error(
            ty.span(),
            format!("{field} is `{text}`, which has no size"),
            help,
        );
    }
    borrowing.is_empty() && cows.is_empty() && unsized_fields.is_empty()
}

/// A type that has no size, by how it is written.
fn unsized_type(ty: &Type) -> Option<&Type> {
    match ungroup(ty) {
        ty @ (Type::Slice(_) | Type::TraitObject(_)) => Some(ty),
        ty @ Type::Path(path) if path.path.is_ident("str") => Some(ty),
        _ => None,
    }
}

/// The owned type in place of a reference.
pub(super) fn owned_text(reference: &syn::TypeReference) -> String {
    match &*reference.elem {
        Type::Path(path) if path.path.is_ident("str") => "String".to_owned(),
        Type::Path(path)
            if path
                .path
                .segments
                .last()
                .is_some_and(|last| last.ident == "Path") =>
        {
            "PathBuf".to_owned()
        }
        Type::Slice(slice) => format!("Vec<{}>", short(&slice.elem)),
        other => short(other),
    }
}

/// Gives a lifetime to each reference and `Cow` in a field, of which rustc would report that it has none, and a size to
/// what has none.
pub(super) fn make_sized_and_static(item: &mut Item) {
    for field in fields_mut(item) {
        match ungroup(&field.ty) {
            Type::Slice(slice) => {
                let item = &slice.elem;
                field.ty = parse_quote!(::std::vec::Vec<#item>);
            }
            Type::Path(path) if path.path.is_ident("str") => {
                field.ty = parse_quote!(::std::string::String);
            }
            ty @ Type::TraitObject(_) => field.ty = parse_quote!(::std::boxed::Box<#ty>),
            _ => {}
        }
        if let Ok(ty) = syn::parse2(with_lifetimes(field.ty.to_token_stream())) {
            field.ty = ty;
        }
    }
}

fn with_lifetimes(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut named = TokenStream::new();
    let mut after_cow = false;
    while let Some(token) = tokens.next() {
        let is_reference = matches!(&token, TokenTree::Punct(sign) if sign.as_char() == '&');
        let opens_cow =
            after_cow && matches!(&token, TokenTree::Punct(sign) if sign.as_char() == '<');
        after_cow = matches!(&token, TokenTree::Ident(ident) if ident == "Cow");
        match token {
            TokenTree::Group(group) => {
                let inner = with_lifetimes(group.stream());
                let mut with = Group::new(group.delimiter(), inner);
                with.set_span(group.span());
                with.to_tokens(&mut named);
            }
            token => token.to_tokens(&mut named),
        }
        let has_lifetime =
            matches!(tokens.peek(), Some(TokenTree::Punct(sign)) if sign.as_char() == '\'');
        if is_reference && !has_lifetime {
            named.extend(quote!('static));
        }
        if opens_cow && !has_lifetime {
            named.extend(quote!('static,));
        }
    }
    named
}

/// The first reference in a type.
pub(super) fn borrowed(ty: &Type) -> Option<&syn::TypeReference> {
    first_in(ty, &|ty| match ty {
        Type::Reference(reference) => Some(reference),
        _ => None,
    })
}

/// The first `Cow` in a type that has no lifetime.
fn cow_without_lifetime(ty: &Type) -> Option<&PathSegment> {
    first_in(ty, &|ty| {
        let Type::Path(path) = ty else {
            return None;
        };
        let last = path.path.segments.last()?;
        let PathArguments::AngleBracketed(arguments) = &last.arguments else {
            return None;
        };
        let has_lifetime = matches!(arguments.args.first(), Some(GenericArgument::Lifetime(_)));
        (last.ident == "Cow" && !has_lifetime).then_some(last)
    })
}

/// What `pick` returns of the first type for which it returns something: the type itself, or one in it.
fn first_in<'a, T>(ty: &'a Type, pick: &impl Fn(&'a Type) -> Option<T>) -> Option<T> {
    pick(ty).or_else(|| match ty {
        Type::Reference(reference) => first_in(&reference.elem, pick),
        Type::Group(group) => first_in(&group.elem, pick),
        Type::Paren(paren) => first_in(&paren.elem, pick),
        Type::Array(array) => first_in(&array.elem, pick),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(|ty| first_in(ty, pick)),
        Type::Path(path) => path.path.segments.iter().find_map(|segment| {
            let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
                return None;
            };
            arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(ty) => first_in(ty, pick),
                _ => None,
            })
        }),
        _ => None,
    })
}
