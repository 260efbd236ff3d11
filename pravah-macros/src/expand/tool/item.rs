//! What is under `#[tool]`: a function, or one without a body, which a client executes.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    Attribute, ItemFn, Signature, Token, Visibility,
    parse::{Parse, ParseStream},
    parse_quote,
};

use crate::conditions::Conditional;

#[derive(Clone)]
pub(crate) struct ToolFn {
    /// The function; where it has no body, one that fits any type stands for it.
    pub(crate) function: ItemFn,
    /// What is there instead of a body.
    pub(crate) no_body: Option<Token![;]>,
}

impl Parse for ToolFn {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if let Ok(function) = input.fork().parse::<ItemFn>() {
            let _: ItemFn = input.parse()?;
            return Ok(Self {
                function,
                no_body: None,
            });
        }
        let attrs = input.call(Attribute::parse_outer)?;
        let vis: Visibility = input.parse()?;
        let sig: Signature = input.parse()?;
        let no_body = input.parse()?;
        Ok(Self {
            function: parse_quote!(#(#attrs)* #[allow(unused)] #vis #sig { loop {} }),
            no_body: Some(no_body),
        })
    }
}

impl ToTokens for ToolFn {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let ItemFn {
            attrs, vis, sig, ..
        } = &self.function;
        match &self.no_body {
            Some(semi) => tokens.extend(quote!(#(#attrs)* #vis #sig #semi)),
            None => self.function.to_tokens(tokens),
        }
    }
}

impl Conditional for ToolFn {
    fn retain(&mut self, keep: &mut dyn FnMut(&mut Vec<Attribute>) -> bool) {
        self.function.retain(keep);
    }
}
