//! What `#[tool]` is above: a function, or one that has `;` instead of a body.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    Attribute, ItemFn, Signature, Token, Visibility,
    parse::{Parse, ParseStream, discouraged::Speculative as _},
    parse_quote,
};

use crate::{conditions::Conditional, expand::as_written, item::Unread};

/// A function that may have no body.
#[derive(Clone)]
pub(crate) struct ToolFn {
    /// The function. Where it has no body it gets `loop {}`, which fits any return type.
    pub(crate) function: ItemFn,
    /// The `;` in place of a body.
    pub(crate) semicolon: Option<Token![;]>,
}

impl Parse for ToolFn {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ahead = input.fork();
        if let Ok(Unread(function)) = ahead.parse() {
            input.advance_to(&ahead);
            return Ok(Self {
                function,
                semicolon: None,
            });
        }
        let attrs = input.call(Attribute::parse_outer)?;
        let vis: Visibility = input.parse()?;
        let sig: Signature = input.parse()?;
        let semicolon = input.parse()?;
        Ok(Self {
            function: parse_quote!(#(#attrs)* #vis #sig { loop {} }),
            semicolon: Some(semicolon),
        })
    }
}

impl ToTokens for ToolFn {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let ItemFn {
            attrs, vis, sig, ..
        } = &self.function;
        match &self.semicolon {
            Some(semicolon) => tokens.extend(quote!(#(#attrs)* #vis #sig #semicolon)),
            None => tokens.extend(as_written(&self.function)),
        }
    }
}

impl Conditional for ToolFn {
    fn retain(&mut self, keep: &mut dyn FnMut(&mut Vec<Attribute>) -> bool) {
        self.function.retain(keep);
    }
}
