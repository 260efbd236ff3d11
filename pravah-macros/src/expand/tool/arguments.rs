//! The hidden type of a tool's name, which its arguments are read as, and their schema.
//!
//! The arguments are read one by one, each as its type says, so that a type that cannot be read is one
//! mistake: a derive mentions it in many places.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Attribute, Ident, ItemFn, Type, ext::IdentExt};

use crate::{
    doc_comment::doc_comment,
    expand::{as_trait, at, beside, hidden, private},
    root,
};

/// A parameter: an argument that the model writes, or something that the tool asks for. Its type says
/// which, to the compiler.
pub(super) struct Param {
    /// What describes it, if it is an argument.
    pub(super) attrs: Vec<Attribute>,
    pub(super) name: Ident,
    pub(super) ty: Type,
    /// Where a name would have to be, if the model is to write it.
    pub(super) nameless: Option<Span>,
}

/// The type, with `others` beside it.
pub(super) fn expand(item: &ItemFn, params: &[Param], others: &TokenStream) -> TokenStream {
    let private = private();
    let name = &item.sig.ident;
    let text = name.unraw().to_string();
    let described = params.iter().enumerate().filter_map(|(index, param)| {
        let fields = described(index, param)?;
        Some(fields)
    });
    let read = params
        .iter()
        .enumerate()
        .map(|(index, param)| read(index, param));
    let describe = params
        .iter()
        .enumerate()
        .map(|(index, param)| describe(index, param));
    let read = quote! {
        const _: () = {
            #(#described)*

            #[automatically_derived]
            impl<'__pravah> #private::serde::Deserialize<'__pravah> for #name {
                fn deserialize<__PravahDeserializer>(__pravah_deserializer: __PravahDeserializer)
                    -> ::core::result::Result<Self, __PravahDeserializer::Error>
                where
                    __PravahDeserializer: #private::serde::Deserializer<'__pravah>,
                {
                    let __pravah_arguments = #private::read_arguments(
                        __pravah_deserializer,
                        |__pravah_object| {
                            let _ = __pravah_object;
                            ::core::result::Result::Ok(::std::vec![#(#read),*])
                        },
                    )?;
                    ::core::result::Result::Ok(Self { __pravah_arguments })
                }
            }

            #[automatically_derived]
            impl #private::schemars::JsonSchema for #name {
                fn schema_name() -> ::std::borrow::Cow<'static, str> {
                    ::std::borrow::Cow::Borrowed(#text)
                }

                fn json_schema(__pravah_generator: &mut #private::schemars::SchemaGenerator)
                    -> #private::schemars::Schema
                {
                    #[allow(unused_mut)]
                    let mut __pravah_schema = #private::ArgumentsSchema::new(__pravah_generator);
                    #(#describe)*
                    __pravah_schema.finish()
                }
            }
        };
    };
    let fields = quote!(__pravah_arguments: #private::ToolArguments);
    beside(&item.vis, name, &fields, &quote!(#read #others))
}

/// An argument with attributes of serde or schemars, in a type of its own that derives read; nothing for another.
fn described(index: usize, param: &Param) -> Option<TokenStream> {
    if !is_described(param) {
        return None;
    }
    let private = private();
    let (serde, schemars) = (
        root::text("__private::serde"),
        root::text("__private::schemars"),
    );
    let (
        Param {
            attrs, name, ty, ..
        },
        argument,
    ) = (param, hidden("Argument", index));
    Some(quote! {
        #[derive(#private::serde::Deserialize, #private::schemars::JsonSchema)]
        #[serde(crate = #serde)]
        #[schemars(crate = #schemars)]
        struct #argument { #(#attrs)* #name: #ty }
    })
}

fn is_described(param: &Param) -> bool {
    let mut attrs = param.attrs.iter();
    attrs.any(|attr| !attr.path().is_ident("doc"))
}

fn read(index: usize, param: &Param) -> TokenStream {
    let private = private();
    let Param { name, ty, .. } = param;
    if is_described(param) {
        let argument = hidden("Argument", index);
        return quote!(#private::read_described(__pravah_object, |it: #argument| it.#name)?);
    }
    let (bound, span, text) = (as_trait(ty, "ToolParam"), at(ty), name.unraw().to_string());
    quote_spanned!(span=> #bound::read(__pravah_object, #text)?)
}

fn describe(index: usize, param: &Param) -> TokenStream {
    let Param {
        attrs, name, ty, ..
    } = param;
    if is_described(param) {
        let argument = hidden("Argument", index);
        return quote!(__pravah_schema.add_described::<#argument>(););
    }
    let (bound, span, text) = (as_trait(ty, "ToolParam"), at(ty), name.unraw().to_string());
    let description = doc_comment(attrs).unwrap_or_default();
    quote_spanned!(span=> #bound::describe(&mut __pravah_schema, #text, #description);)
}
