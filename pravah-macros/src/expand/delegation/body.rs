//! Calls in the body of a node that give it no result.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use syn::{Path, ext::IdentExt};

use crate::diag::Diagnostics;

/// Reports, for a node that returns no `Invoke`, where its body calls one of its agents as a function, or awaits its
/// result, and returns whether it does. Agents are known by the last names of their paths; what is not found here rustc
/// reports.
pub(in crate::expand) fn refuse_call_in_body(
    node: &Ident,
    body: TokenStream,
    agents: &[Path],
    errors: &mut Diagnostics,
) -> bool {
    // A capital is that of a struct, of which the body may make one.
    let functions: Vec<&Ident> = agents
        .iter()
        .filter_map(|agent| Some(&agent.segments.last()?.ident))
        .filter(|name| name.unraw().to_string().starts_with(char::is_lowercase))
        .collect();
    if mentions_invoke(body.clone()) {
        // The return type may be an `Invoke` under another name.
        return false;
    }
    let Some(Call { span, agent, kind }) = call_in(body, &functions) else {
        return false;
    };
    match kind {
        CallKind::AwaitedInvoke => errors.error(
            span,
            format!("`{node}` awaits `{agent}::invoke(…)`, and a node cannot wait for what it calls"),
            "return the `Invoke`, or `Invoke::all(…)` of several: the next node takes the result",
        ),
        CallKind::Function => errors.error(
            span,
            format!("`{node}` calls the function `{agent}`, and that calls no agent"),
            format!("return `{agent}::invoke(input)`, and an `Invoke<_>` as the type: the next node takes the result; a flow that runs inside of this node needs no `agents`"),
        ),
    }
    true
}

/// Whether an `Invoke` may be made: there is a word for it that is not `invoke(…).await`.
fn mentions_invoke(body: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Group(group) => mentions_invoke(group.stream()),
        TokenTree::Ident(word) if word == "invoke" => {
            !is_awaited(tokens.get(at + 1..).unwrap_or_default())
        }
        TokenTree::Ident(word) => word == "Invoke",
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Whether arguments come, and `.await` behind them.
fn is_awaited(after: &[TokenTree]) -> bool {
    match after {
        [arguments, dot, TokenTree::Ident(word), ..] => {
            is_in_parentheses(arguments) && is_sign(dot, '.') && word == "await"
        }
        _ => false,
    }
}

struct Call<'a> {
    span: Span,
    agent: &'a Ident,
    kind: CallKind,
}

enum CallKind {
    /// `agent(…)`
    Function,
    /// `agent::invoke(…).await`
    AwaitedInvoke,
}

/// The first call of one of these functions.
fn call_in<'a>(body: TokenStream, functions: &[&'a Ident]) -> Option<Call<'a>> {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    tokens.iter().enumerate().find_map(|(at, token)| {
        let name = match token {
            TokenTree::Group(group) => return call_in(group.stream(), functions),
            TokenTree::Ident(name) => name,
            TokenTree::Punct(_) | TokenTree::Literal(_) => return None,
        };
        let agent = functions
            .iter()
            .find(|function| function.unraw() == name.unraw())?;
        let (before, after) = (tokens.get(..at)?, tokens.get(at + 1..)?);
        let kind = call_kind(after).filter(|_| !is_another_name(before))?;
        Some(Call {
            span: name.span(),
            agent,
            kind,
        })
    })
}

/// Whether the name behind these tokens is that of a method or of a definition.
fn is_another_name(before: &[TokenTree]) -> bool {
    match before.last() {
        Some(TokenTree::Punct(sign)) => sign.as_char() == '.',
        Some(TokenTree::Ident(word)) => word == "fn",
        Some(TokenTree::Group(_) | TokenTree::Literal(_)) | None => false,
    }
}

/// What call the tokens behind a name make of it.
fn call_kind(after: &[TokenTree]) -> Option<CallKind> {
    match after {
        [arguments, ..] if is_in_parentheses(arguments) => Some(CallKind::Function),
        [one, other, TokenTree::Ident(invoke), call @ ..]
            if is_sign(one, ':')
                && is_sign(other, ':')
                && invoke == "invoke"
                && is_awaited(call) =>
        {
            Some(CallKind::AwaitedInvoke)
        }
        _ => None,
    }
}

fn is_in_parentheses(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis)
}

fn is_sign(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(it) if it.as_char() == sign)
}
