//! Fields of a state whose types have nothing of what a field needs, as far as their definitions show it.
//! Every derive of the state would report its part of that; here they are told to ask the runtime, and the
//! runtime is asked once for all of it. A type that has it all after all is written and read as ever.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, Field, Item, LitStr, Type, parse_quote};

use super::{hidden, private, private_at, state};
use crate::source;

/// The field number `index` of those.
pub(super) struct Bare {
    index: usize,
    pub(super) ty: Type,
    /// The name in it that lacks something.
    name: Ident,
}

/// Finds such fields, and sends their derives to what [`expand`] writes.
pub(super) fn mark(item: &mut Item) -> Vec<Bare> {
    let (ident, attrs, fields): (_, _, Vec<&mut Field>) = match item {
        Item::Struct(item) => (
            item.ident.clone(),
            &item.attrs,
            item.fields.iter_mut().collect(),
        ),
        Item::Enum(item) => {
            let variants = item.variants.iter_mut();
            let fields = variants.flat_map(|variant| &mut variant.fields);
            (item.ident.clone(), &item.attrs, fields.collect())
        }
        _ => return Vec::new(),
    };
    if attrs.iter().any(is_of_a_derive) {
        return Vec::new();
    }
    let mut bare = Vec::new();
    for field in fields {
        if field.attrs.iter().any(is_of_a_derive) || is_option(&field.ty) {
            continue;
        }
        if let Some(name) = bare_name(&ident, field.ty.to_token_stream()) {
            let index = bare.len();
            field.attrs.extend(attributes(&ident, index));
            let ty = field.ty.clone();
            bare.push(Bare { index, ty, name });
        }
    }
    bare
}

/// What the derives call, and the one question.
pub(super) fn expand(ident: &Ident, bare: &[Bare]) -> Option<TokenStream> {
    let private = private();
    let fields = bare.iter().map(|Bare { index, ty, name }| {
        let [write, read, schema] = names(*index);
        let (span, field) = (name.span(), quote!((&#private::BareField::<#ty>::NEW)));
        let here = private_at(span);
        let checked = quote_spanned!(span=> <#name as #here::StateField>::CHECKED);
        quote! {
            fn #write<S: #private::serde::Serializer>(value: &#ty, serializer: S)
                -> ::core::result::Result<S::Ok, S::Error>
            {
                let () = #checked;
                #field.write(value, serializer)
            }

            fn #read<'de, D: #private::serde::Deserializer<'de>>(deserializer: D)
                -> ::core::result::Result<#ty, D::Error>
            {
                #field.read(deserializer)
            }

            fn #schema(generator: &mut #private::schemars::SchemaGenerator)
                -> #private::schemars::Schema
            {
                #field.schema(generator)
            }
        }
    });
    (!bare.is_empty()).then(|| {
        quote! {
            const _: () = {
                #[allow(unused_imports)]
                use #private::{KnownField as _, UnknownField as _};
                impl #ident { #(#fields)* }
            };
        }
    })
}

fn names(index: usize) -> [Ident; 3] {
    ["write", "read", "schema"].map(|name| hidden(name, index))
}

fn attributes(ident: &Ident, index: usize) -> [Attribute; 2] {
    let path = |name: &Ident| LitStr::new(&format!("{ident}::{name}"), ident.span());
    let [write, read, schema] = names(index).map(|name| path(&name));
    [
        parse_quote!(#[serde(serialize_with = #write, deserialize_with = #read)]),
        parse_quote!(#[schemars(schema_with = #schema)]),
    ]
}

/// Whether the user decides how something is written, or derives it.
fn is_of_a_derive(attr: &Attribute) -> bool {
    let derived = state::derived(attr);
    let is_json = |name: &String| state::DERIVES.contains(&name.as_str());
    ["serde", "schemars"]
        .iter()
        .any(|by| attr.path().is_ident(by))
        || derived.iter().any(is_json)
}

/// A field that may be left out of the JSON.
fn is_option(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident == "Option")
}

fn bare_name(state: &Ident, ty: TokenStream) -> Option<Ident> {
    ty.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => bare_name(state, group.stream()),
        TokenTree::Ident(name) => {
            source::is_bare_type(state.span(), &name.to_string()).then_some(name)
        }
        TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    })
}
