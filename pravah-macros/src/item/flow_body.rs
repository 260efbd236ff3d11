//! A flow whose body does not parse, as it does not where its nodes are not in `flow! { … }`.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::quote_spanned;
use syn::{
    Attribute, ItemFn, Signature, Visibility,
    parse::{ParseStream, Parser},
    parse_quote,
};

use crate::diag::Diagnostics;

/// The function with what reads as its flow for a body. rustc has said that the body does not parse, but not
/// what to write.
pub(super) fn read(tokens: TokenStream, errors: &mut Diagnostics) -> Option<ItemFn> {
    let (mut item, body) = with_any_body.parse2(tokens).ok()?;
    let flow = flow(&body, &item.sig.ident, errors)?;
    *item.block = parse_quote!({ #flow });
    Some(item)
}

fn with_any_body(input: ParseStream<'_>) -> syn::Result<(ItemFn, Group)> {
    let attrs = input.call(Attribute::parse_outer)?;
    let vis: Visibility = input.parse()?;
    let sig: Signature = input.parse()?;
    let body = input.parse()?;
    Ok((parse_quote!(#(#attrs)* #vis #sig {}), body))
}

fn flow(body: &Group, name: &Ident, errors: &mut Diagnostics) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = body.stream().into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let next = (tokens.get(at + 1), tokens.get(at + 2));
        match (token, next) {
            (
                TokenTree::Ident(word),
                (Some(TokenTree::Punct(sign)), Some(TokenTree::Group(flow))),
            ) if word == "flow" && sign.as_char() == '!' => {
                return Some(written(word.span(), flow));
            }
            (TokenTree::Ident(word), (Some(TokenTree::Group(flow)), _)) if word == "flow" => {
                return Some(reported(word.span(), flow, name, errors));
            }
            (TokenTree::Punct(one), (Some(TokenTree::Punct(two)), _))
                if one.as_char() == '-' && two.as_char() == '>' =>
            {
                let first = tokens.first()?.span();
                return Some(reported(first, body, name, errors));
            }
            _ => {}
        }
    }
    None
}

fn reported(at: Span, nodes: &Group, name: &Ident, errors: &mut Diagnostics) -> TokenStream {
    let text = nodes.span().source_text();
    let text = text.filter(|text| text.starts_with('{') && !text.contains('\n'));
    errors.error(
        at,
        format!("the nodes of the flow `{name}` are not in `flow! {{ … }}`"),
        match text {
            Some(text) => format!("write `flow! {text}`"),
            None => "write `flow! { … }` around its nodes".to_owned(),
        },
    );
    written(at, nodes)
}

fn written(at: Span, nodes: &Group) -> TokenStream {
    let nodes = nodes.stream();
    quote_spanned!(at=> flow! { #nodes })
}
