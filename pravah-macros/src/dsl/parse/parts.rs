//! The smallest parts of a flow: words, nodes, arrows.

use proc_macro2::{Delimiter, Spacing, Span, TokenStream, TokenTree};

use super::{Parsed, Parser, Reported};
use crate::dsl::{
    ast::NodeRef,
    tokens::{colons, is_option, node_ref},
    words::{self, DONE, Word},
};

/// What belongs to a node, and is written as a method elsewhere.
const POLICIES: [&str; 3] = ["retry", "timeout", "max_visits"];

fn policy_text(name: &proc_macro2::Ident) -> &'static str {
    match &*name.to_string() {
        "retry" => "`retry(max_attempts = 3)`",
        "timeout" => "`timeout = \"30s\"`",
        _ => "`max_visits = 3`",
    }
}

impl Parser<'_> {
    pub(super) fn peek(&self) -> Option<&TokenTree> {
        self.tokens.get(self.at)
    }

    /// A name before `(`: a word of the language, or a mistake.
    pub(super) fn word(&mut self) -> Parsed<Option<(Word, Span, TokenStream)>> {
        let (Some(TokenTree::Ident(ident)), Some(TokenTree::Group(group))) =
            (self.tokens.get(self.at), self.tokens.get(self.at + 1))
        else {
            return Ok(None);
        };
        let (name, span, inside) = (ident.to_string(), ident.span(), group.stream());
        if group.delimiter() != Delimiter::Parenthesis {
            let Some(word) = Word::of(&name) else {
                return Ok(None);
            };
            self.errors.error(
                span,
                format!("what follows `{name}` is not in parentheses"),
                format!("write `{}`", word.usage()),
            );
            return Err(Reported);
        }
        if self.is_block_next() {
            return Ok(None);
        }
        let has_option = matches!(inside.clone().into_iter().nth(1), Some(TokenTree::Punct(sign)) if sign.as_char() == '=');
        self.at += 2;
        if let Some(word) = Word::of(&name) {
            return Ok(Some((word, span, inside)));
        }
        if let Some(help) = words::help_for_foreign(&name) {
            self.errors.error(
                span,
                format!("`{name}` is not a word of the flow language"),
                help,
            );
            return Err(Reported);
        }
        let all = words::all();
        // A node that is called like a function is less like a word than a misspelt word is.
        let near = Word::called(&name)
            .map(Word::name)
            .or_else(|| crate::options::misspelt(&name, &all));
        let words = crate::options::list(&all);
        if let Some(near) = near {
            self.errors.error(
                span,
                format!("`{name}` is not a word of the flow language"),
                format!("did you mean `{near}`? the words are {words}"),
            );
        } else {
            let instead = match (name == DONE, has_option) {
                (true, _) => String::new(),
                (false, true) => {
                    format!(", and its options where it is defined: `#[node({inside})]`")
                }
                (false, false) => format!("; parentheses follow the words {words}"),
            };
            self.errors.error(
                span,
                format!("`{name}` takes no parentheses"),
                format!("write `{name}` alone{instead}"),
            );
        }
        Err(Reported)
    }

    /// Whether braces come after the parentheses, as in `if (good) { … }`.
    fn is_block_next(&self) -> bool {
        matches!(self.tokens.get(self.at + 2), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace)
    }

    pub(super) fn node(&mut self, fact: &str) -> Parsed<NodeRef> {
        if let Some((node, end)) = node_ref(&self.tokens, self.at) {
            self.at = end;
            self.refuse_done_as_alias(&node)?;
            if let Some(TokenTree::Ident(word)) = self.peek()
                && word == "as"
            {
                self.errors.error(
                    word.span(),
                    format!("`as` needs a name for this use of `{}`", node.name),
                    format!(
                        "write `{} as other`, with a name that no other node of the flow has",
                        node.key
                    ),
                );
                return Err(Reported);
            }
            // A node may be called like a word; one that another name follows is none.
            if let (Some(word), Some(TokenTree::Ident(_))) = (Word::of(&node.key), self.peek()) {
                self.errors.error(
                    node.span,
                    format!("nothing is in parentheses after `{}`", node.key),
                    format!("write `{}`", word.usage()),
                );
                return Err(Reported);
            }
            if colons(&self.tokens, end) {
                self.report_half_a_path(&node);
                return Err(Reported);
            }
            let node = self.refuse_keyword(node)?;
            return self
                .refuse_path_into_type(node)
                .and_then(|node| self.refuse_start_and_end(node));
        }
        let (span, found) = self.found();
        let help = match self.peek() {
            Some(TokenTree::Group(group)) if group.stream().is_empty() => {
                "write `done` where a branch ends the flow; a state that is not needed goes to a node that takes it"
            }
            Some(TokenTree::Group(_)) => {
                "write `either(a, b)` to follow the branch that the node before chose, `fork(a, b)` to follow all"
            }
            _ if found == "|" || found == "||" => {
                "write the closure as a function with `#[node]` above it, and its name here"
            }
            _ if found == "#" => self.help_for_attribute(),
            _ => "name a node by its path, such as `plan` or `nodes::plan`",
        };
        self.errors
            .error(span, format!("{fact}, and this is `{found}`"), help);
        Err(Reported)
    }

    /// The next token, with what is right behind it.
    fn found(&self) -> (Span, String) {
        let Some(token) = self.peek() else {
            return (Span::call_site(), String::new());
        };
        let mut text = short(token);
        let mut last = token;
        for next in self.tokens.iter().skip(self.at + 1) {
            match (last, next) {
                (TokenTree::Punct(punct), TokenTree::Punct(_))
                    if punct.spacing() == Spacing::Joint =>
                {
                    text.push_str(&short(next));
                    last = next;
                }
                _ => break,
            }
        }
        (token.span(), text)
    }

    /// What is wrong with `.next` or `:next` behind a node, and what to write.
    fn dot_or_colon(&self, found: &str, next: &proc_macro2::Ident) -> (String, String) {
        let is_call = matches!(self.tokens.get(self.at + 2), Some(TokenTree::Group(_)));
        match (found, is_call) {
            (".", false) if next == "await" => (
                "a flow waits for its nodes by itself".to_owned(),
                "leave `.await` out".to_owned(),
            ),
            (".", true) if POLICIES.iter().any(|policy| next == policy) => (
                format!("a flow calls no methods, such as `.{next}(…)`"),
                format!("write it where the node is defined, in `#[node(…)]` or `#[agent(…)]`: {}", policy_text(next)),
            ),
            (".", true) => (
                format!("a flow calls no methods, such as `.{next}(…)`"),
                "write `->` and a node; what follows a failure is a statement of its own: `; catch(node) -> rescue`"
                    .to_owned(),
            ),
            (":", _) => (
                format!("a path is not written with `{found}`"),
                format!("write `::{next}`; write another name for a node after it: `node as name`"),
            ),
            _ => (
                format!("a path is not written with `{found}`"),
                format!("write `::{next}`"),
            ),
        }
    }

    /// Whether the last token was `limit`.
    fn is_limit_before(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        matches!(before, Some(TokenTree::Ident(ident)) if ident == "limit")
    }

    /// `->`, between two nodes.
    pub(super) fn arrow(&mut self) -> Parsed<Span> {
        if let (Some(TokenTree::Punct(dash)), Some(TokenTree::Punct(angle))) =
            (self.tokens.get(self.at), self.tokens.get(self.at + 1))
            && dash.as_char() == '-'
            && angle.as_char() == '>'
        {
            let span = dash.span();
            self.at += 2;
            return Ok(span);
        }
        let (span, found) = self.found();
        if let ("." | ":", Some(TokenTree::Ident(next))) =
            (found.as_str(), self.tokens.get(self.at + 1))
        {
            let (fact, help) = self.dot_or_colon(&found, next);
            self.errors.error(span, fact, help);
            return Err(Reported);
        }
        let (separator, part) = match self.separator {
            ',' => (',', "branch"),
            _ => (';', "statement"),
        };
        let help = match (found.as_str(), separator) {
            ("?", _) => {
                "leave it out: a failure stops the run, or goes on behind `catch(node) -> rescue`"
                    .to_owned()
            }
            ("=", _) if self.is_limit_before() => {
                "leave it out: `limit` is for `each(…, limit = 8)`, and `run.with_concurrency(8)` sets how many bodies of a run run at once".to_owned()
            }
            ("=", _) => "write another name for a node after it: `node as name`".to_owned(),
            ("as", _) => "only a node has another name: write `as` directly after it, inside the parentheses, as in `join(node as name)`; a list or a group has none".to_owned(),
            ("|" | "||" | "&" | "&&", _) => {
                "write `either(a, b)` to take one of several branches, or `fork(a, b)` to take all of them"
                    .to_owned()
            }
            ("-", _) if matches!(self.tokens.get(self.at + 1), Some(TokenTree::Group(_))) => {
                "an arrow has no label: write `-> either(a, b)`, with a branch for each state that the node before may return, in their order"
                    .to_owned()
            }
            ("!", _) => "name a node: no macro is expanded in a flow; to use another flow, name its `#[flow]` function like a node".to_owned(),
            (",", ';') if is_option(&self.tokens, self.at + 1) => {
                "write options where the node is defined, such as `#[node(max_visits = 3)]`; `limit` belongs inside `each(…, limit = 8)`".to_owned()
            }
            _ => format!("write `->` to lead on, or `{separator}` to start another {part}"),
        };
        self.errors.error(
            span,
            format!("expected `->` or `{separator}`, found `{found}`"),
            help,
        );
        Err(Reported)
    }
}

fn short(token: &TokenTree) -> String {
    match token {
        TokenTree::Group(group) => match group.delimiter() {
            Delimiter::Parenthesis => "(".into(),
            Delimiter::Brace => "{".into(),
            Delimiter::Bracket => "[".into(),
            Delimiter::None => String::new(),
        },
        token => token.to_string(),
    }
}
