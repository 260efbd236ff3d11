//! `#[choice]`: an enum of states.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Fields, Ident, ItemEnum, Type, spanned::Spanned};

use super::{as_trait, at, private, state};
use crate::diag::Diagnostics;

pub(crate) fn expand(mut item: ItemEnum, errors: &mut Diagnostics) -> TokenStream {
    let Some(ways) = ways(&item, errors) else {
        return quote!(#item);
    };
    state::add_derives(&mut item.attrs, &[]);
    let private = private();
    let name = &item.ident;
    let schema_name = state::schema_name(&item.attrs, name);
    let param = param(name, &schema_name, &ways);
    let output = output(name, &ways);
    let way = ways.iter().enumerate().map(|(index, (_, ty))| {
        quote! {
            #[automatically_derived]
            impl #private::Way<#index, #ty> for #name {}
        }
    });
    quote! {
        #item
        #param
        #output
        #(#way)*
    }
}

/// The variants and their states.
fn ways(item: &ItemEnum, errors: &mut Diagnostics) -> Option<Vec<(Ident, Type)>> {
    let name = &item.ident;
    let before = errors.len();
    if let Some(param) = item.generics.params.first() {
        errors.error(
            param.span(),
            format!("the choice `{name}` is generic, and a choice is between concrete states"),
            "write it for the states of the flow",
        );
    }
    if item.variants.len() < 2 {
        errors.error(
            name.span(),
            format!(
                "the choice `{name}` has {} ways, and a choice needs two",
                item.variants.len()
            ),
            "add variants, each around one state",
        );
    }
    let mut ways = Vec::with_capacity(item.variants.len());
    for variant in &item.variants {
        match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                ways.extend(
                    fields
                        .unnamed
                        .first()
                        .map(|field| (variant.ident.clone(), field.ty.clone())),
                );
            }
            _ => errors.error(
                variant.ident.span(),
                format!(
                    "the way `{}` of `{name}` does not hold one state",
                    variant.ident
                ),
                format!("write `{0}({0})`, with a `#[state]` inside", variant.ident),
            ),
        }
    }
    (errors.len() == before).then_some(ways)
}

/// As what a node takes.
fn param(name: &Ident, schema_name: &str, ways: &[(Ident, Type)]) -> TokenStream {
    let private = private();
    let states = ways.iter().map(|(_, ty)| {
        let (state, span) = (as_trait(ty, "State"), at(ty));
        quote_spanned!(span=> #state::REF)
    });
    let gather = ways.iter().enumerate().map(|(index, (variant, ty))| {
        let pattern = match index + 1 == ways.len() {
            true => quote!(_),
            false => quote!(#index),
        };
        let (param, span) = (as_trait(ty, "State"), at(ty));
        quote_spanned!(span=> #pattern => Self::#variant(#param::take(inputs, index)?),)
    });
    let duplicate = ways.iter().map(|(variant, ty)| {
        let (state, span) = (as_trait(ty, "State"), at(ty));
        quote_spanned!(span=> Self::#variant(state) => Self::#variant(#state::duplicate(state)?),)
    });
    quote! {
        #[automatically_derived]
        impl #private::Param for #name {
            const REF: #private::ParamRef = #private::ParamRef {
                name: #schema_name,
                path: ::core::concat!(::core::module_path!(), "::", #schema_name),
                states: &[#(#states),*],
            };
            type Held = Self;

            fn gather(inputs: &#private::Inputs<'_>, index: usize)
                -> ::core::result::Result<Self, #private::FlowError>
            {
                ::core::result::Result::Ok(match inputs.way(index) { #(#gather)* })
            }

            fn borrow(held: &Self) -> &Self {
                held
            }

            fn own(held: Self) -> ::core::result::Result<Self, #private::FlowError> {
                ::core::result::Result::Ok(held)
            }

            fn duplicate(&self) -> ::core::result::Result<Self, #private::serde_json::Error> {
                ::core::result::Result::Ok(match self { #(#duplicate)* })
            }
        }
    }
}

/// As what a node gives.
fn output(name: &Ident, ways: &[(Ident, Type)]) -> TokenStream {
    let private = private();
    let states = ways.iter().map(|(_, ty)| {
        let (state, span) = (as_trait(ty, "State"), at(ty));
        quote_spanned!(span=> #state::REF)
    });
    let emit = ways.iter().enumerate().map(|(index, (variant, ty))| {
        let (state, span) = (as_trait(ty, "State"), at(ty));
        quote_spanned!(span=> Self::#variant(state) => #state::emitted(state, #index),)
    });
    quote! {
        #[automatically_derived]
        impl #private::Output for #name {
            const SHAPE: #private::Shape =
                #private::Shape::new(#private::ShapeKind::Choice, &[#(#states),*]);

            fn emit(self) -> ::core::result::Result<#private::Emitted, #private::BoxError> {
                match self { #(#emit)* }
            }
        }
    }
}
