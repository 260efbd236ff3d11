//! The item beneath an attribute, read with what may be wrong with it.
//!
//! rustc parses an item before an attribute sees it. Where it could not, it has said so: the macro
//! keeps quiet then, and keeps the item's name alive.

mod flow_body;
mod function;

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Attribute, Item,
    parse::{ParseStream, Parser},
    parse_quote,
};

pub(crate) use self::function::Unread;
use crate::{diag::Diagnostics, expand, root};

/// The attributes of which one item has one.
const ATTRIBUTES: [&str; 8] = [
    "state", "choice", "node", "agent", "gate", "tool", "flow", "migrate",
];

/// Reads what is under `#[attribute]`, which has to be `kind`. `Err` holds the code that is
/// for it where that is all there is to do.
pub(crate) fn read<T: syn::parse::Parse>(
    tokens: TokenStream,
    attribute: &str,
    kind: &str,
    errors: &mut Diagnostics,
) -> Result<T, TokenStream> {
    let tokens = only_attribute(tokens, attribute, errors)?;
    if let Ok(item) = syn::parse2(tokens.clone()) {
        return Ok(item);
    }
    if attribute == "flow"
        && let Some(function) = flow_body::read(tokens.clone(), errors)
        && let Ok(item) = syn::parse2(function.to_token_stream())
    {
        return Ok(item);
    }
    let item = match syn::parse2::<Item>(tokens.clone()) {
        Ok(Item::Verbatim(item))
            if refuse_no_body(&item, "write `{ … }` instead of the `;`", errors).is_some() =>
        {
            return Err(remains(tokens, attribute));
        }
        Ok(item) => item,
        Err(_) => return Err(remains(tokens, attribute)),
    };
    let instead = match (attribute, item) {
        ("node" | "gate" | "flow", Item::Struct(_)) => {
            "; write `#[state]` above a struct that a flow carries"
        }
        ("node" | "gate" | "flow", Item::Enum(_)) => {
            "; write `#[state]` above an enum that a flow carries, `#[choice]` above one that chooses between branches"
        }
        _ => "",
    };
    errors.error(
        Span::call_site(),
        format!("`#[{attribute}]` is not above {kind}"),
        format!("put it above {kind}{instead}"),
    );
    Err(silenced(tokens))
}

/// An item that was refused as a whole, and what stands for it, of which no check speaks.
fn silenced(tokens: TokenStream) -> TokenStream {
    match syn::parse2::<Item>(tokens.clone()) {
        Ok(Item::Fn(item)) => expand::function::broken(&item),
        Ok(Item::Struct(item)) => {
            let state = expand::state::broken(&item.ident, &item.generics);
            let node = expand::callee::broken_node(&item.ident, &item.generics);
            quote!(#item #state #node)
        }
        Ok(Item::Enum(item)) => {
            let broken = expand::state::broken(&item.ident, &item.generics);
            quote!(#item #broken)
        }
        _ => tokens,
    }
}

/// The same item without those of our attributes that are on it.
fn without_attributes(tokens: TokenStream) -> TokenStream {
    let Ok(mut item) = syn::parse2::<Item>(tokens.clone()) else {
        return tokens;
    };
    let attrs = match &mut item {
        Item::Fn(item) => &mut item.attrs,
        Item::Struct(item) => &mut item.attrs,
        Item::Enum(item) => &mut item.attrs,
        _ => return tokens,
    };
    attrs.retain(|attr| named(attr).is_none());
    item.to_token_stream()
}

/// What is left of an item that does not parse: its name, as a node of which no check speaks, or as
/// a state, with the fields or variants that can be read.
fn remains(tokens: TokenStream, attribute: &str) -> TokenStream {
    if let Some(name) = name_after("fn", &tokens) {
        return expand::function::broken_node(&name);
    }
    let Some(name) = name_after("struct", &tokens).or_else(|| name_after("enum", &tokens)) else {
        return TokenStream::new();
    };
    // What is wrong with it has been said.
    let mut said = Diagnostics::default();
    let is_public = matches!(
        tokens.clone().into_iter().next(),
        Some(TokenTree::Ident(first)) if first == "pub"
    );
    let vis = is_public.then(|| quote!(pub));
    let item: syn::ItemStruct = parse_quote!(#[allow(dead_code)] #vis struct #name {});
    if attribute == "agent" {
        return expand::agent::broken_structure(item, &mut said);
    }
    let with_parts = match name_after("struct", &tokens) {
        Some(_) => {
            let fields =
                readable_parts(&tokens, |part| syn::Field::parse_named.parse2(part).is_ok());
            quote!(#[allow(dead_code)] #vis struct #name { #fields })
        }
        None => {
            let variants =
                readable_parts(&tokens, |part| syn::parse2::<syn::Variant>(part).is_ok());
            quote!(#[allow(dead_code)] #vis enum #name { #variants })
        }
    };
    let item = syn::parse2(with_parts).unwrap_or(Item::Struct(item));
    expand::state::expand(item, &[], &mut said)
}

/// The fields or variants of a type that can be read, where others cannot: code that uses them gets no second error.
fn readable_parts(tokens: &TokenStream, is_readable: impl Fn(TokenStream) -> bool) -> TokenStream {
    let braces = tokens.clone().into_iter().find_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    });
    let (mut parts, mut depth) = (vec![TokenStream::new()], 0_u32);
    for token in braces.unwrap_or_default() {
        match &token {
            TokenTree::Punct(sign) if sign.as_char() == '<' => depth += 1,
            TokenTree::Punct(sign) if sign.as_char() == '>' => depth = depth.saturating_sub(1),
            TokenTree::Punct(sign) if sign.as_char() == ',' && depth == 0 => {
                parts.push(TokenStream::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.extend([token]);
        }
    }
    parts.retain(|part| is_readable(part.clone()));
    quote!(#(#parts,)*)
}

/// Reports a function that ends with a `;`, and returns its name.
pub(crate) fn refuse_no_body(
    item: &TokenStream,
    help: &str,
    errors: &mut Diagnostics,
) -> Option<Ident> {
    let name = name_after("fn", item)?;
    errors.error(name.span(), format!("`{name}` has no body"), help);
    Some(name)
}

/// The name behind a keyword.
fn name_after(keyword: &str, tokens: &TokenStream) -> Option<Ident> {
    let mut tokens = tokens.clone().into_iter();
    tokens.find(|token| matches!(token, TokenTree::Ident(ident) if ident == keyword))?;
    match tokens.next()? {
        TokenTree::Ident(name) if syn::parse_str::<Ident>(&name.to_string()).is_ok() => Some(name),
        _ => None,
    }
}

/// Sees that no other of the attributes is on the same item. If one does that is reported, and
/// it alone goes on.
fn only_attribute(
    tokens: TokenStream,
    attribute: &str,
    errors: &mut Diagnostics,
) -> Result<TokenStream, TokenStream> {
    if !may_have_attribute(&tokens) {
        return Ok(tokens);
    }
    let attributes = |input: ParseStream<'_>| {
        let attrs = input.call(Attribute::parse_outer)?;
        let _rest: TokenStream = input.parse()?;
        Ok(attrs)
    };
    let Ok(attrs) = attributes.parse2(tokens.clone()) else {
        return Ok(tokens);
    };
    let other = attrs.iter().find_map(|attr| Some((attr, named(attr)?)));
    let Some((attr, other)) = other else {
        return Ok(tokens);
    };
    let attr_span = syn::spanned::Spanned::span(attr.path());
    let state_at = if attribute == "state" {
        Span::call_site()
    } else {
        attr_span
    };
    let (at, fact, help) = match (attribute, other) {
        ("state", "agent") | ("agent", "state") => (
            state_at,
            "`#[state]` is above an `#[agent]`".to_owned(),
            "remove `#[state]`: a struct that is an agent is a state",
        ),
        ("state", "choice") | ("choice", "state") => (
            state_at,
            "`#[state]` is above a `#[choice]`".to_owned(),
            "remove `#[state]`: a choice is made of states, and is none itself",
        ),
        (one, other) => {
            let fact = match one == other {
                true => format!("`#[{one}]` is here twice"),
                false => format!("`#[{one}]` and `#[{other}]` are above one item"),
            };
            (attr_span, fact, "keep one of them")
        }
    };
    errors.error(at, fact, help);
    match (attribute, other) {
        ("agent" | "choice", "state") => Ok(without_attributes(tokens)),
        ("state", "agent" | "choice") => Err(tokens),
        // `flow!` is only under an attribute that reads it.
        ("flow", other) if other != "flow" => Err(remains(tokens, attribute)),
        (one, other) if one == other => Err(tokens),
        _ => Err(silenced(without_attributes(tokens))),
    }
}

/// Whether an attribute in front of an item names one of ours; a look at its tokens, since to parse all of an item
/// is slow.
fn may_have_attribute(tokens: &TokenStream) -> bool {
    let mut tokens = tokens.clone().into_iter();
    while let Some(TokenTree::Punct(sign)) = tokens.next()
        && sign.as_char() == '#'
        && let Some(TokenTree::Group(attr)) = tokens.next()
    {
        let mut inside = attr.stream().into_iter();
        let is_ours = |token| matches!(token, TokenTree::Ident(name) if ATTRIBUTES.iter().any(|ours| name == ours));
        if inside.any(is_ours) {
            return true;
        }
    }
    false
}

fn named(attr: &Attribute) -> Option<&'static str> {
    let last = &attr.path().segments.last()?.ident;
    ATTRIBUTES
        .into_iter()
        .find(|attribute| last == attribute && root::is_ours(attr.path()))
}
