//! Tokens before they mean anything: parts between separators, and paths.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;

use super::{ast::NodeRef, words::DONE};
use crate::types::is_type_name;

/// Every path in the tokens that may be a node, each once: what is re-emitted where the flow does
/// not parse, so that completion and go-to-definition work in it.
pub(crate) fn paths(tokens: TokenStream) -> Vec<NodeRef> {
    let (mut found, mut known) = (Vec::new(), BTreeSet::new());
    // What `as` calls a use of a node is no path.
    aliases(tokens.clone(), &mut known);
    collect(tokens, &mut found, &mut known);
    found
}

fn aliases(tokens: TokenStream, known: &mut BTreeSet<String>) {
    let mut after_as = false;
    for token in tokens {
        if let TokenTree::Group(group) = &token {
            aliases(group.stream(), known);
        }
        let TokenTree::Ident(ident) = token else {
            after_as = false;
            continue;
        };
        if after_as {
            known.insert(ident.unraw().to_string());
        }
        after_as = ident == "as";
    }
}

fn collect(tokens: TokenStream, found: &mut Vec<NodeRef>, known: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    // Whether what comes next is behind a `.` or `:`, as in `nodes.read`.
    let mut misspelt = false;
    while let Some(token) = tokens.get(at) {
        if let TokenTree::Group(group) = token {
            collect(group.stream(), found, known);
        }
        if is_option(&tokens, at) {
            at = after_option(&tokens, at);
            continue;
        }
        match path(&tokens, at) {
            Some((node, next)) => {
                at = next;
                let is_word = matches!(tokens.get(at), Some(TokenTree::Group(_)));
                let is_half = punct(&tokens, at, &[':', '.']) || misspelt;
                misspelt = punct(&tokens, at, &[':', '.']);
                let is_name = keyword(&node).is_none()
                    && type_around(&node).is_none()
                    && ![DONE, "None"].contains(&&*node.key);
                if !is_word && !is_half && is_name && known.insert(node.key.clone()) {
                    found.push(node);
                }
            }
            None => at += 1,
        }
    }
}

/// Whether `limit = 8` or the like starts at `at`: what is in it are no nodes.
pub(super) fn is_option(tokens: &[TokenTree], at: usize) -> bool {
    let starts = at
        .checked_sub(1)
        .is_none_or(|before| punct(tokens, before, &[',']));
    let is_key = matches!(tokens.get(at), Some(TokenTree::Ident(_)));
    starts && is_key && punct(tokens, at + 1, &['=']) && !punct(tokens, at + 2, &['>'])
}

fn after_option(tokens: &[TokenTree], at: usize) -> usize {
    let rest = at..tokens.len();
    let mut ends = rest.filter(|at| punct(tokens, *at, &[',', ';']));
    ends.next().unwrap_or(tokens.len())
}

/// The parts between `separator`s, without empty ones.
pub(super) fn split(tokens: TokenStream, separator: char) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    for token in tokens {
        match (&token, parts.last_mut()) {
            (TokenTree::Punct(punct), _) if punct.as_char() == separator => parts.push(Vec::new()),
            (_, Some(part)) => part.push(token),
            (_, None) => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The first comma that no branch is before.
pub(super) fn empty_branch(tokens: TokenStream) -> Option<Span> {
    let mut empty = true;
    for token in tokens {
        let is_comma = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ',');
        if is_comma && empty {
            return Some(token.span());
        }
        empty = is_comma;
    }
    None
}

/// The first `=>`, as in the arms of a `match`, or the `:` behind the first name of a branch; and which it is.
pub(super) fn pattern(tokens: TokenStream) -> Option<(Span, &'static str)> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    (0..tokens.len()).find_map(|at| {
        let is_arrow = punct(&tokens, at, &['=']) && punct(&tokens, at + 1, &['>']);
        let sign = match is_arrow {
            true => "=>",
            false if is_label(&tokens, at) => ":",
            false => return None,
        };
        Some((tokens.get(at)?.span(), sign))
    })
}

/// Whether a single `:` is at `at`, directly behind the first name of a branch.
fn is_label(tokens: &[TokenTree], at: usize) -> bool {
    let is_colon = punct(tokens, at, &[':']) && !punct(tokens, at + 1, &[':']);
    let Some(name) = at.checked_sub(1).filter(|_| is_colon) else {
        return false;
    };
    let is_first = name
        .checked_sub(1)
        .is_none_or(|before| punct(tokens, before, &[',']));
    is_first && matches!(tokens.get(name), Some(TokenTree::Ident(_)))
}

/// A path at `at`, and what comes after it.
fn path(tokens: &[TokenTree], at: usize) -> Option<(NodeRef, usize)> {
    let mut end = at;
    let (mut key, mut name) = (String::new(), None::<Ident>);
    if colons(tokens, end) {
        key.push_str("::");
        end += 2;
    }
    while let Some(TokenTree::Ident(ident)) = tokens.get(end) {
        let text = ident.to_string();
        // `r#read` is `read`; but `r#done` is a node, and `done` is none.
        let plain = text.strip_prefix("r#").filter(|plain| *plain != DONE);
        key.push_str(plain.unwrap_or(&text));
        name = Some(ident.clone());
        end += 1;
        if !(colons(tokens, end) && matches!(tokens.get(end + 2), Some(TokenTree::Ident(_)))) {
            break;
        }
        key.push_str("::");
        end += 2;
    }
    let name = name?;
    // `self::plan` is `plan`; only `self::done` needs the prefix.
    let key = match key.strip_prefix("self::") {
        Some(rest) if rest != DONE && !rest.contains("::") => rest.to_owned(),
        _ => key,
    };
    let node = NodeRef {
        path: tokens.get(at..end)?.iter().cloned().collect(),
        key,
        span: name.span(),
        name: name.unraw().to_string(),
        alias: None,
    };
    Some((node, end))
}

/// A path at `at`, perhaps with `as name` behind it, and what comes after it.
pub(super) fn node_ref(tokens: &[TokenTree], at: usize) -> Option<(NodeRef, usize)> {
    let (node, end) = path(tokens, at)?;
    match (tokens.get(end), tokens.get(end + 1)) {
        (Some(TokenTree::Ident(word)), Some(TokenTree::Ident(alias)))
            if word == "as" && is_name(alias) =>
        {
            let name = alias.unraw().to_string();
            let alias = NodeRef {
                key: name.clone(),
                name,
                alias: Some(alias.clone()),
                ..node
            };
            Some((alias, end + 2))
        }
        _ => Some((node, end)),
    }
}

/// Whether an identifier is no keyword.
fn is_name(ident: &Ident) -> bool {
    syn::parse_str::<Ident>(&ident.to_string()).is_ok()
}

pub(super) fn colons(tokens: &[TokenTree], at: usize) -> bool {
    [at, at + 1].iter().all(
        |at| matches!(tokens.get(*at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':'),
    )
}

fn punct(tokens: &[TokenTree], at: usize, chars: &[char]) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if chars.contains(&punct.as_char()))
}

/// The first name in a node's path that looks like that of a type, and has another behind it.
pub(super) fn type_around(node: &NodeRef) -> Option<Ident> {
    let mut idents = idents(node);
    idents.pop();
    let mut idents = idents.into_iter();
    idents.find(|ident| is_type_name(&ident.unraw().to_string()))
}

fn idents(node: &NodeRef) -> Vec<Ident> {
    let tokens = node.path.clone().into_iter();
    let idents = tokens.filter_map(|token| match token {
        TokenTree::Ident(ident) => Some(ident),
        _ => None,
    });
    idents.collect()
}

/// The keyword in a node's path that cannot be there.
pub(super) fn keyword(node: &NodeRef) -> Option<Ident> {
    let idents = idents(node);
    let last = idents.len().saturating_sub(1);
    let leads = |at: usize, text: &str| at < last && ["self", "super", "crate"].contains(&text);
    idents.into_iter().enumerate().find_map(|(at, ident)| {
        let text = ident.to_string();
        (!is_name(&ident) && !leads(at, &text)).then_some(ident)
    })
}

/// The tokens without the invisible groups that `macro_rules!` fragments come in.
pub(crate) fn ungrouped(tokens: TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                ungrouped(group.stream())
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), ungrouped(group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner).into()
            }
            token => token.into(),
        })
        .collect()
}
