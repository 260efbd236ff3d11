//! `#[choice]`: an enum of states.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Fields, Ident, ItemEnum, LitStr, Type, Variant, parse_quote, spanned::Spanned};

use super::{as_trait, at, hidden, own, plain::is_standard, private, state};
use crate::{
    diag::Diagnostics,
    types::{around, around_one, invoke_in, is_type_name, last_name, short},
};

pub(crate) fn expand(mut item: ItemEnum, errors: &mut Diagnostics) -> TokenStream {
    let Some(variants) = errors.attempt(|errors| variants(&item, errors)) else {
        let broken = state::broken(&item.ident, &item.generics);
        return quote!(#item #broken);
    };
    state::check_name(&item.attrs, &item.ident, errors);
    let derives = state::derives(&mut item.attrs, &[], None);
    let schemas = quiet(&mut item);
    let private = private();
    let name = &item.ident;
    let schema_name = state::schema_name(&item.attrs, name);
    let param = param(name, &schema_name, &variants);
    let output = output(name, &variants);
    let choice = own(&item, name);
    let has_branch = variants.iter().enumerate().map(|(index, (_, ty))| {
        quote! {
            #[automatically_derived]
            impl #private::HasBranch<#index, #ty> for #name {}
        }
    });
    quote! {
        #derives
        #choice
        #schemas
        #param
        #output
        #(#has_branch)*
    }
}

/// The variants and their states.
fn variants(item: &ItemEnum, errors: &mut Diagnostics) -> Vec<(Ident, Type)> {
    let name = &item.ident;
    if let Some(param) = item.generics.params.first() {
        errors.error(
            param.span(),
            format!("the choice `{name}` is generic, and a choice is between concrete states"),
            "write it for the states of the flow",
        );
    }
    if item.variants.len() < 2 {
        let count = if item.variants.is_empty() {
            "no variants"
        } else {
            "one variant"
        };
        errors.error(
            name.span(),
            format!("the choice `{name}` has {count}, and needs two"),
            "add variants, each around one state",
        );
    }
    let mut variants = Vec::with_capacity(item.variants.len());
    for variant in &item.variants {
        match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.iter().any(|field| invoke_in(&field.ty).is_some()) => {
                errors.error(
                    fields.span(),
                    format!("the variant `{}` of `{name}` holds an `Invoke`, and a choice is between states", variant.ident),
                    "hold the input of the call, and let a node in that branch make it",
                );
            }
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                for field in &fields.unnamed {
                    refuse_wrapped(name, variant, &field.ty, errors);
                    variants.push((variant.ident.clone(), field.ty.clone()));
                }
            }
            _ => errors.error(
                variant.ident.span(),
                format!(
                    "the variant `{}` of `{name}` does not hold one state",
                    variant.ident
                ),
                format!(
                    "hold a state that is there, `{0}(…)`, or write `#[state] struct {0} {{ … }}` beside the enum, and `{0}({0})`{1}",
                    variant.ident,
                    match variant.fields.is_empty() {
                        true => "; an enum that chooses no branch, such as the answer to a gate, has `#[state]` in place of `#[choice]`",
                        false => "",
                    },
                ),
            ),
        }
    }
    variants
}

/// Reports a pointer or a list around the state of a variant.
fn refuse_wrapped(name: &Ident, variant: &Variant, ty: &Type, errors: &mut Diagnostics) {
    const WRAPPERS: [&str; 5] = ["Box", "Arc", "Rc", "Vec", "Option"];
    let may_be_state = |ty: &Type| {
        let is_type = last_name(ty).is_some_and(|name| is_type_name(&name));
        is_type && around(ty, &WRAPPERS).is_none() && !is_standard(ty)
    };
    let wrapped = around_one(ty, &WRAPPERS);
    let Some((wrapper, state)) = wrapped.filter(|(_, inside)| may_be_state(inside)) else {
        return;
    };
    let (variant, state) = (&variant.ident, short(state));
    let help = match &*wrapper.to_string() {
        "Vec" => format!("write `{variant}(Each<{state}>)` for a list whose items are states"),
        "Option" => {
            format!("write `{variant}({state})`, and a variant of its own for where there is none")
        }
        wrapper => format!("write `{variant}({state})`: a state needs no `{wrapper}`"),
    };
    errors.error(
        ty.span(),
        format!(
            "the variant `{variant}` of `{name}` holds `{}`, which is not a flow state",
            short(ty)
        ),
        help,
    );
}

/// Lets the derives stay silent about a type that is no state, which is reported once: what serde
/// needs of it is taken as known (a bound that is false is an error, one under a `for` is not), and
/// its schema is asked for as the checks ask.
fn quiet(item: &mut ItemEnum) -> TokenStream {
    let (private, name) = (private(), item.ident.clone());
    let fields = item
        .variants
        .iter_mut()
        .filter_map(|variant| variant.fields.iter_mut().next());
    let mut schemas = Vec::new();
    for (index, field) in fields.enumerate() {
        let (ty, state, span) = (&field.ty, as_trait(&field.ty, "IsState"), at(&field.ty));
        let write = quote!(for<'__pravah> #ty: #private::SerializeFor<'__pravah>).to_string();
        let read = quote!(for<'__pravah> #ty: #private::serde::Deserialize<'__pravah>).to_string();
        // serde reads the bounds with the span of their text.
        let (write, read) = (
            LitStr::new(&write, ty.span()),
            LitStr::new(&read, ty.span()),
        );
        let schema = hidden("schema", index);
        let path = format!("{name}::{schema}");
        let written = quote_spanned!(span=> #state::schema(generator));
        schemas.push(quote! {
            fn #schema(generator: &mut #private::schemars::SchemaGenerator)
                -> #private::schemars::Schema
            {
                #written
            }
        });
        field
            .attrs
            .push(parse_quote!(#[serde(bound(serialize = #write, deserialize = #read))]));
        field
            .attrs
            .push(parse_quote!(#[schemars(schema_with = #path)]));
    }
    quote!(impl #name { #(#schemas)* })
}

/// As what a node takes.
fn param(name: &Ident, schema_name: &str, variants: &[(Ident, Type)]) -> TokenStream {
    let private = private();
    let states = variants.iter().map(|(_, ty)| {
        let (state, span) = (as_trait(ty, "IsState"), at(ty));
        quote_spanned!(span=> #state::REF)
    });
    let owned = variants.iter().enumerate().map(|(index, (variant, ty))| {
        let pattern = match index + 1 == variants.len() {
            true => quote!(_),
            false => quote!(#index),
        };
        let (param, span) = (as_trait(ty, "IsState"), at(ty));
        quote_spanned!(span=> #pattern => Self::#variant(#param::owned(__pravah_inputs, __pravah_index)?),)
    });
    let duplicate = variants.iter().map(|(variant, ty)| {
        let (state, span) = (as_trait(ty, "IsState"), at(ty));
        quote_spanned!(span=> Self::#variant(state) => Self::#variant(#state::cloned(state)?),)
    });
    quote! {
        #[automatically_derived]
        impl #private::Param for #name {
            type Receive = Self;
        }

        #[automatically_derived]
        impl #private::Receive<Self> for #name {
            const REF: #private::ParamRef = #private::ParamRef::of_states(
                #schema_name,
                ::core::concat!(::core::module_path!(), "::", #schema_name),
                &[#(#states),*],
            );

            type Before<__PravahRest> = (Self, __PravahRest);

            fn owned(__pravah_inputs: &mut #private::Inputs<'_>, __pravah_index: usize)
                -> #private::InputResult<Self>
            {
                ::core::result::Result::Ok(match __pravah_inputs.branch(__pravah_index) { #(#owned)* })
            }

            fn duplicate(__pravah_choice: &Self) -> ::core::option::Option<Self> {
                ::core::option::Option::Some(match __pravah_choice { #(#duplicate)* })
            }
        }
    }
}

/// As what a node returns.
fn output(name: &Ident, variants: &[(Ident, Type)]) -> TokenStream {
    let private = private();
    let states = variants.iter().map(|(_, ty)| {
        let (state, span) = (as_trait(ty, "IsState"), at(ty));
        quote_spanned!(span=> #state::REF)
    });
    let emit = variants.iter().enumerate().map(|(index, (variant, ty))| {
        let (state, span) = (as_trait(ty, "IsState"), at(ty));
        quote_spanned!(span=> Self::#variant(state) => #state::emitted(state, #index),)
    });
    quote! {
        #[automatically_derived]
        impl #private::Output for #name {
            type Emit = Self;
        }

        #[automatically_derived]
        impl #private::Emit<Self> for #name {
            const SHAPE: #private::Shape =
                #private::Shape::new(#private::ShapeKind::Choice, &[#(#states),*]);

            fn emit(__pravah_choice: Self) -> ::core::result::Result<#private::Emitted, #private::BoxError> {
                match __pravah_choice { #(#emit)* }
            }
        }
    }
}
