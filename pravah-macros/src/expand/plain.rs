//! `Clone` and `Debug` of a state. They are derived only where every field is written as a type of the standard library:
//! of a field that lacks one of them rustc would not say that the state can do without. Otherwise they are written in
//! front of the state, so that what they ask of its fields is heard before what each derive says for itself.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    Attribute, Fields, Ident, Item, Member, PathArguments, Type, ext::IdentExt, spanned::Spanned,
};

use super::{attributes, hidden, owned, private, private_at};
use crate::types::{arguments, around, holds_object, path_of};

/// Types of the standard library that can be cloned, printed and written as JSON. Of a type of the crate's own with such a
/// name, what it lacks is said by rustc.
const STANDARD: [&str; 17] = [
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32",
    "u64", "u128", "usize", "String",
];

/// Which of the two are to be added, and whether derives write the state as JSON field by field.
#[derive(Clone, Copy)]
pub(super) struct Plain {
    pub(super) clone: bool,
    debug: bool,
    json: bool,
}

/// Those that are neither derived below the attribute nor among `manual`.
pub(super) fn missing(attrs: &[Attribute], manual: &[String]) -> Plain {
    let derived: Vec<String> = attrs.iter().flat_map(attributes::derived).collect();
    let missing = |name: &str| !derived.iter().chain(manual).any(|known| known == name);
    Plain {
        clone: missing("Clone"),
        debug: missing("Debug"),
        json: !attributes::is_json_by_hand(attrs, manual),
    }
}

pub(super) fn expand(item: &Item, plain: Plain) -> TokenStream {
    if plain.clone
        && plain.debug
        && owned::fields(item)
            .iter()
            .all(|field| is_standard(&field.ty))
    {
        // rustc takes half the time for derives, and no standard type lacks either.
        return quote!(#[derive(::core::clone::Clone, ::core::fmt::Debug)]);
    }
    let (name, variants) = match item {
        Item::Struct(item) => (
            &item.ident,
            vec![Variant::new(None, &item.ident, &[], &item.fields)],
        ),
        Item::Enum(item) => {
            let variants = item.variants.iter().map(|variant| {
                let name = &variant.ident;
                Variant::new(Some(name), name, &variant.attrs, &variant.fields)
            });
            (&item.ident, variants.collect())
        }
        _ => return TokenStream::new(),
    };
    let json = (plain.json && !(plain.clone && plain.debug)).then(|| json(&variants));
    let clone = plain.clone.then(|| clone(name, &variants, plain));
    let debug = plain.debug.then(|| debug(name, &variants, plain));
    quote!(#json #clone #debug)
}

/// Whether a type is written as a standard one, or as an `Option` or a `Vec` of one.
pub(super) fn is_standard(ty: &Type) -> bool {
    let mut segments = path_of(ty).into_iter().flat_map(|path| &path.segments);
    let (Some(segment), None) = (segments.next(), segments.next()) else {
        return false;
    };
    let is_one_of = |names: &[&str]| names.iter().any(|name| segment.ident == name);
    match &segment.arguments {
        PathArguments::None => is_one_of(&STANDARD),
        PathArguments::AngleBracketed(list) if list.args.len() == 1 => {
            let inner = arguments(segment);
            is_one_of(&["Option", "Vec"]) && inner.first().is_some_and(|ty| is_standard(ty))
        }
        _ => false,
    }
}

/// Asks for what the derives need of the fields, before a derive does so in its own words.
fn json(variants: &[Variant<'_>]) -> TokenStream {
    let fields = variants.iter().flat_map(|variant| &variant.fields);
    let fields = fields
        .filter(|field| field.is_json)
        .map(|Field { ty, .. }| {
            let span = ty.span();
            let (private, check) = (private_at(span), Ident::new("json_field", span));
            quote_spanned!(span=> #private::#check::<#ty>();)
        });
    quote!(const _: () = { #(#fields)* };)
}

/// A struct, or one variant of an enum.
struct Variant<'a> {
    of_enum: Option<&'a Ident>,
    name: String,
    fields: Vec<Field<'a>>,
    is_tuple: bool,
}

struct Field<'a> {
    member: Member,
    /// A reference to it.
    value: TokenStream,
    ty: &'a Type,
    /// Whether it has no attribute of serde or schemars.
    is_json: bool,
}

impl<'a> Variant<'a> {
    fn new(
        of_enum: Option<&'a Ident>,
        name: &Ident,
        attrs: &[Attribute],
        fields: &'a Fields,
    ) -> Self {
        let is_tuple = matches!(fields, Fields::Unnamed(_));
        let named = fields.members().zip(fields).enumerate();
        Self {
            of_enum,
            name: name.unraw().to_string(),
            fields: named
                .map(|(index, (member, field))| Field {
                    value: match of_enum {
                        Some(_) => hidden("field", index).into_token_stream(),
                        None => quote!(&self.#member),
                    },
                    member,
                    ty: &field.ty,
                    is_json: ![attrs, &field.attrs]
                        .into_iter()
                        .flatten()
                        .any(attributes::is_about_json),
                })
                .collect(),
            is_tuple,
        }
    }

    /// What `value` makes of its fields: of a variant of an enum an arm of a `match`.
    fn arm(&self, value: TokenStream) -> TokenStream {
        let Some(name) = self.of_enum else {
            return value;
        };
        let fields = self
            .fields
            .iter()
            .map(|Field { member, value, .. }| quote!(#member: #value));
        quote!(Self::#name { #(#fields),* } => #value,)
    }
}

impl Field<'_> {
    fn name(&self) -> Option<String> {
        match &self.member {
            Member::Named(name) => Some(name.unraw().to_string()),
            Member::Unnamed(_) => None,
        }
    }

    /// The trait that asks for all, in the words that suit the type.
    fn bound_of_all(&self) -> &'static str {
        if holds_object(self.ty) {
            "ObjectField"
        } else if around(self.ty, &["HashMap", "BTreeMap"]).is_some() {
            "MapField"
        } else if around(self.ty, &["HashSet", "BTreeSet"]).is_some() {
            "SetField"
        } else {
            "StateField"
        }
    }

    /// `method` of the field, labelled at its type. A field that lacks several things is reported once, in
    /// the same words at the same place.
    fn call(&self, plain: Plain, method: &str) -> TokenStream {
        let Self { value, ty, .. } = self;
        let span = ty.span();
        let bound = match (plain.clone, plain.debug) {
            (true, true) if plain.json && self.is_json => self.bound_of_all(),
            (true, true) => "PlainField",
            (true, false) => "CloneField",
            (false, _) => "DebugField",
        };
        let [bound, method] = [bound, method].map(|name| Ident::new(name, span));
        let private = private_at(span);
        let called = quote_spanned!(span=> #ty as #private::#bound>::#method(#value));
        // An expression that starts at the type would be proposed to borrow it.
        quote!(<#called)
    }
}

fn clone(name: &Ident, variants: &[Variant<'_>], plain: Plain) -> TokenStream {
    let arms = variants.iter().map(|variant| {
        let fields = variant.fields.iter().map(|field| {
            let (member, value) = (&field.member, field.call(plain, "clone_field"));
            quote!(#member: #value)
        });
        let of_enum = variant.of_enum.map(|name| quote!(::#name));
        variant.arm(quote!(Self #of_enum { #(#fields),* }))
    });
    let body = by_variant(variants, arms);
    quote! {
        #[automatically_derived]
        impl ::core::clone::Clone for #name {
            fn clone(&self) -> Self {
                #body
            }
        }
    }
}

fn debug(name: &Ident, variants: &[Variant<'_>], plain: Plain) -> TokenStream {
    let private = private();
    let arms = variants.iter().map(|variant| {
        let text = &variant.name;
        let values = variant
            .fields
            .iter()
            .map(|field| field.call(plain, "debug_field"));
        let values = quote!(&[#(#values),*]);
        variant.arm(match variant.is_tuple {
            true => quote!(#private::debug_tuple(__pravah_f, #text, #values)),
            false => {
                let names = variant.fields.iter().filter_map(Field::name);
                let names = names.collect::<Vec<_>>().join(" ");
                quote!(#private::debug_struct(__pravah_f, #text, #names, #values))
            }
        })
    });
    let body = by_variant(variants, arms);
    quote! {
        #[automatically_derived]
        impl ::core::fmt::Debug for #name {
            fn fmt(&self, __pravah_f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #body
            }
        }
    }
}

fn by_variant(variants: &[Variant<'_>], arms: impl Iterator<Item = TokenStream>) -> TokenStream {
    match variants {
        [] => quote!(match *self {}),
        [Variant { of_enum: None, .. }] => arms.collect(),
        _ => quote!(match self { #(#arms)* }),
    }
}
