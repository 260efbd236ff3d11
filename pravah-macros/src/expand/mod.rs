//! Writing code: one file for each item that an attribute emits.
//!
//! What is emitted is short and calls into `pravah_runtime::__private`; types of the user's are
//! mentioned with the span of the user's own token, so that rustc's errors about them are there,
//! once.

pub(crate) mod agent;
mod attributes;
mod build;
mod callable;
pub(crate) mod callee;
mod checks;
pub(crate) mod choice;
mod constants;
mod constraints;
mod contract;
mod delegation;
pub(crate) mod flow;
pub(crate) mod function;
pub(crate) mod gate;
pub(crate) mod migrate;
pub(crate) mod node;
mod numbers;
mod owned;
mod plain;
pub(crate) mod state;
pub(crate) mod tool;
mod topology;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Ident, Type, spanned::Spanned};

pub(crate) use self::constants::{constant, named_constant};
pub(crate) use crate::root::{private, private_at};

/// `<ty as Trait>`, spanned at the type.
pub(crate) fn as_trait(ty: &Type, name: &str) -> TokenStream {
    let span = ty.span();
    let (private, name) = (private_at(span), Ident::new(name, span));
    quote_spanned!(span=> <#ty as #private::#name>)
}

/// Where `tokens` are, with the names of the macro: a user's token may come from a macro of the
/// user's own, in which `inputs` is another variable.
pub(crate) fn at(tokens: &impl Spanned) -> Span {
    tokens.span().resolved_at(Span::call_site())
}

/// `type Output = ty;`, labelled at the type: it may be one that must not be seen there.
pub(crate) fn associated(name: &str, ty: &Type) -> TokenStream {
    let span = ty.span();
    let name = Ident::new(name, span);
    quote_spanned!(span=> type #name = #ty;)
}

/// An identifier that no user writes.
pub(crate) fn hidden(name: &str, number: usize) -> Ident {
    Ident::new(&format!("__pravah_{name}{number}"), Span::mixed_site())
}

/// The type that has a function's name, and the other items beside the function, all as one:
/// in an `impl` or a trait, where none may be, rustc refuses one item, and names a macro that says why.
pub(crate) fn beside(
    visibility: &syn::Visibility,
    name: &Ident,
    fields: &TokenStream,
    others: &TokenStream,
) -> TokenStream {
    let private = private();
    quote! {
        #private::for_functions_outside_of_impl_and_trait! { #visibility #name { #fields } #others }
    }
}

/// The user's own item, with `<>` behind a name that has no parameters. rustc then proposes none for
/// a type that it cannot find, as it proposes none where the macro mentions that type: the two errors
/// are equal, and shown as one.
pub(crate) fn own(item: &impl ToTokens, name: &Ident) -> TokenStream {
    let mut tokens = as_written(item).into_iter().peekable();
    let mut written = TokenStream::new();
    while let Some(token) = tokens.next() {
        let is_name = matches!(&token, TokenTree::Ident(ident) if ident == name);
        token.to_tokens(&mut written);
        if is_name {
            let has_params =
                matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '<');
            if !has_params {
                written.extend(quote!(<>));
            }
            break;
        }
    }
    written.extend(tokens);
    written
}

/// The user's own item. The body of an [`Unread`](crate::item::Unread) function is no longer wrapped.
pub(crate) fn as_written(item: &impl ToTokens) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.to_token_stream().into_iter().collect();
    if let Some(block) = tokens.last_mut()
        && let Some(body) = only_block_in(block)
    {
        *block = body;
    }
    tokens.into_iter().collect()
}

/// The block that is all there is in another.
fn only_block_in(block: &TokenTree) -> Option<TokenTree> {
    let is_block = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    let TokenTree::Group(group) = block else {
        return None;
    };
    let mut inside = group.stream().into_iter();
    let body = inside
        .next()
        .filter(|body| is_block(block) && is_block(body))?;
    inside.next().is_none().then_some(body)
}
