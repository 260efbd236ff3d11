//! Fields that borrow, which no state has.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Item, Type, spanned::Spanned};

use super::attributes;
use crate::diag::Diagnostics;

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

/// A state is read from JSON that is gone afterwards: no field borrows.
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
    let borrowing = fields.filter_map(|field| Some((field, borrowed(&field.ty)?)));
    let borrowing: Vec<_> = borrowing.collect();
    for (field, reference) in &borrowing {
        let owned = match &*reference.elem {
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
            Type::Slice(slice) => format!("Vec<{}>", shown(&slice.elem)),
            other => shown(other),
        };
        errors.error(
            reference.span(),
            match &field.ident {
                Some(field) => format!("the field `{field}` borrows, and a state owns its data"),
                None => "a field of the state borrows, and a state owns its data".to_owned(),
            },
            format!("write `{owned}`"),
        );
    }
    borrowing.is_empty()
}

/// A type as a reader writes it, where it is a path; rustc's own text of another.
fn shown(ty: &Type) -> String {
    ty.span()
        .source_text()
        .unwrap_or_else(|| ty.to_token_stream().to_string())
}

/// Gives a lifetime to each reference in a field, of which rustc would report that it has none.
pub(super) fn name_lifetimes(item: &mut Item) {
    for field in fields_mut(item) {
        if let Ok(ty) = syn::parse2(with_lifetimes(field.ty.to_token_stream())) {
            field.ty = ty;
        }
    }
}

fn with_lifetimes(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut named = TokenStream::new();
    while let Some(token) = tokens.next() {
        let is_reference = matches!(&token, TokenTree::Punct(sign) if sign.as_char() == '&');
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
    }
    named
}

/// The first reference in a type.
pub(super) fn borrowed(ty: &Type) -> Option<&syn::TypeReference> {
    match ty {
        Type::Reference(reference) => Some(reference),
        Type::Group(group) => borrowed(&group.elem),
        Type::Paren(paren) => borrowed(&paren.elem),
        Type::Array(array) => borrowed(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(borrowed),
        Type::Path(path) => path.path.segments.iter().find_map(|segment| {
            let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments else {
                return None;
            };
            arguments.args.iter().find_map(|argument| match argument {
                syn::GenericArgument::Type(ty) => borrowed(ty),
                _ => None,
            })
        }),
        _ => None,
    }
}
