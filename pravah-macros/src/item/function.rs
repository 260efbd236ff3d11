//! A function whose body is for rustc alone to read. To parse it here as well is slow, and there may be syntax in it that
//! `syn` does not know yet.

use proc_macro2::{Group, TokenStream};
use quote::ToTokens;
use syn::{
    Attribute, Block, Expr, FnModifiers, Item, ItemFn, Signature, Stmt, Visibility,
    parse::{Parse, ParseStream, discouraged::Speculative as _},
    token::Brace,
};

use crate::{conditions::Conditional, expand::as_written};

/// A function, whose body is the block that is written as one expression: a group of the user's own keeps the places of
/// its braces, so that rustc, which reports a mistake in it whenever it parses it, reports the same twice, and shows it
/// once. [`as_written`](crate::expand::as_written) writes that block alone.
#[derive(Clone)]
pub(crate) struct Function(pub(crate) ItemFn);

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis: Visibility = input.parse()?;
        let sig: Signature = input.parse()?;
        let body: Group = input.parse()?;
        let brace_token = Brace {
            span: body.delim_span(),
        };
        let block = Block {
            brace_token,
            stmts: vec![Stmt::Expr(Expr::Verbatim(body.into_token_stream()), None)],
        };
        Ok(Self(ItemFn {
            attrs,
            vis,
            modifiers: FnModifiers::default(),
            sig,
            block: Box::new(block),
        }))
    }
}

/// A function, or any other item.
#[derive(Clone)]
pub(crate) struct FunctionOrItem(pub(crate) Item);

impl Parse for FunctionOrItem {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ahead = input.fork();
        if let Ok(Function(function)) = ahead.parse() {
            input.advance_to(&ahead);
            return Ok(Self(Item::Fn(function)));
        }
        input.parse().map(Self)
    }
}

impl ToTokens for FunctionOrItem {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(as_written(&self.0));
    }
}

impl Conditional for FunctionOrItem {
    fn retain(&mut self, keep: &mut dyn FnMut(&mut Vec<Attribute>) -> bool) {
        self.0.retain(keep);
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(as_written(&self.0));
    }
}

impl Conditional for Function {
    fn retain(&mut self, keep: &mut dyn FnMut(&mut Vec<Attribute>) -> bool) {
        self.0.retain(keep);
    }
}
