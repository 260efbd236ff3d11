//! `Clone` and `Debug` of a state, which are not derived: of a field that lacks one of them rustc would
//! not say that the state can do without.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Attribute, Fields, Ident, Item, Member, Type, ext::IdentExt, spanned::Spanned};

use super::{hidden, private_at, state};

/// Which of the two are to be added.
#[derive(Clone, Copy)]
pub(super) struct Plain {
    clone: bool,
    debug: bool,
}

/// Those that are neither derived below the attribute nor among `manual`.
pub(super) fn missing(attrs: &[Attribute], manual: &[String]) -> Plain {
    let derived: Vec<String> = attrs.iter().flat_map(state::derived).collect();
    let missing = |name: &str| !derived.iter().chain(manual).any(|known| known == name);
    Plain {
        clone: missing("Clone"),
        debug: missing("Debug"),
    }
}

pub(super) fn expand(item: &Item, plain: Plain) -> TokenStream {
    let (name, variants) = match item {
        Item::Struct(item) => (
            &item.ident,
            vec![Variant::new(quote!(Self), &item.ident, &item.fields)],
        ),
        Item::Enum(item) => {
            let variants = item.variants.iter().map(|variant| {
                let name = &variant.ident;
                Variant::new(quote!(Self::#name), name, &variant.fields)
            });
            (&item.ident, variants.collect())
        }
        _ => return TokenStream::new(),
    };
    // A field that lacks both is reported once, in the same words at the same place.
    let bound = match plain {
        Plain {
            clone: true,
            debug: true,
        } => "PlainField",
        Plain { clone: true, .. } => "CloneField",
        Plain { .. } => "DebugField",
    };
    let clone = plain.clone.then(|| clone(name, &variants, bound));
    let debug = plain.debug.then(|| debug(name, &variants, bound));
    quote!(#clone #debug)
}

/// A struct, or one variant of an enum.
struct Variant<'a> {
    path: TokenStream,
    name: String,
    fields: Vec<Field<'a>>,
    is_tuple: bool,
}

struct Field<'a> {
    member: Member,
    /// What it is bound to.
    value: Ident,
    ty: &'a Type,
}

impl<'a> Variant<'a> {
    fn new(path: TokenStream, name: &Ident, fields: &'a Fields) -> Self {
        let is_tuple = matches!(fields, Fields::Unnamed(_));
        let named = fields.members().zip(fields).enumerate();
        Self {
            path,
            name: name.unraw().to_string(),
            fields: named
                .map(|(index, (member, field))| Field {
                    member,
                    value: hidden("field", index),
                    ty: &field.ty,
                })
                .collect(),
            is_tuple,
        }
    }

    fn pattern(&self) -> TokenStream {
        let path = &self.path;
        let fields = self
            .fields
            .iter()
            .map(|Field { member, value, .. }| quote!(#member: #value));
        quote!(#path { #(#fields),* })
    }
}

impl Field<'_> {
    /// `method` of the field, labelled at its type.
    fn call(&self, bound: &str, method: &str) -> TokenStream {
        let Self { value, ty, .. } = self;
        let span = ty.span();
        let [bound, method] = [bound, method].map(|name| Ident::new(name, span));
        let private = private_at(span);
        let called = quote_spanned!(span=> #ty as #private::#bound>::#method(#value));
        // An expression that starts at the type would be proposed to borrow it.
        quote!(<#called)
    }
}

fn clone(name: &Ident, variants: &[Variant<'_>], bound: &str) -> TokenStream {
    let arms = variants.iter().map(|variant| {
        let (pattern, path) = (variant.pattern(), &variant.path);
        let fields = variant.fields.iter().map(|field| {
            let (member, value) = (&field.member, field.call(bound, "clone_field"));
            quote!(#member: #value)
        });
        quote!(#pattern => #path { #(#fields),* },)
    });
    let body = by_variant(variants, quote!(#(#arms)*));
    quote! {
        #[automatically_derived]
        impl ::core::clone::Clone for #name {
            fn clone(&self) -> Self {
                #body
            }
        }
    }
}

fn debug(name: &Ident, variants: &[Variant<'_>], bound: &str) -> TokenStream {
    let arms = variants.iter().map(|variant| {
        let (pattern, text) = (variant.pattern(), &variant.name);
        let builder = match variant.is_tuple {
            true => quote!(__pravah_f.debug_tuple(#text)),
            false => quote!(__pravah_f.debug_struct(#text)),
        };
        let fields = variant.fields.iter().map(|field| {
            let value = field.call(bound, "debug_field");
            match &field.member {
                Member::Named(name) => {
                    let name = name.unraw().to_string();
                    quote!(.field(#name, #value))
                }
                Member::Unnamed(_) => quote!(.field(#value)),
            }
        });
        quote!(#pattern => #builder #(#fields)*.finish(),)
    });
    let body = by_variant(variants, quote!(#(#arms)*));
    quote! {
        #[automatically_derived]
        impl ::core::fmt::Debug for #name {
            fn fmt(&self, __pravah_f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #body
            }
        }
    }
}

fn by_variant(variants: &[Variant<'_>], arms: TokenStream) -> TokenStream {
    match variants {
        [] => quote!(match *self {}),
        _ => quote!(match self { #arms }),
    }
}
