//! The smallest parts of a flow: words, nodes, arrows.

use proc_macro2::{Delimiter, Spacing, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;

use super::{Parsed, Parser, Reported};
use crate::{
    dsl::{
        ast::NodeRef,
        tokens::{colons, is_option, keyword, node_ref, type_around},
        words::{self, Control, DONE, Word},
    },
    types::is_type_name,
};

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
            let with_parentheses = match name == DONE {
                true => String::new(),
                false => format!("; parentheses follow the words {words}"),
            };
            self.errors.error(
                span,
                format!("`{name}` takes no parentheses"),
                format!("write `{name}` alone{with_parentheses}"),
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
            self.not_done(&node)?;
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
                self.half_a_path(&node);
                return Err(Reported);
            }
            let node = self.no_keyword(node)?;
            return self
                .no_type(node)
                .and_then(|node| self.no_start_or_end(node));
        }
        let (span, found) = self.found();
        let help = match self.peek() {
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

    /// What to write in place of an attribute in a flow. A doc comment is one, too.
    fn help_for_attribute(&self) -> &'static str {
        let name = match self.tokens.get(self.at + 1) {
            Some(TokenTree::Group(inside)) => inside.stream().into_iter().next(),
            _ => None,
        };
        match &*name.map_or_else(String::new, |name| name.to_string()) {
            "doc" => {
                "write the comment with `//`: the doc comments of a flow are those of its function"
            }
            "cfg" => {
                "a flow has no attributes inside: write two flows, with a `#[cfg(…)]` above each"
            }
            _ => {
                "a flow has no attributes inside: write it above the function of the node, or of the flow"
            }
        }
    }

    /// Reports `as done`.
    pub(super) fn not_done(&mut self, node: &NodeRef) -> Parsed<()> {
        match &node.alias {
            Some(alias) if alias.unraw() == DONE => {
                self.errors.error(
                    alias.span(),
                    "`done` ends the flow, and no node has that name",
                    "give this use of the node another name",
                );
                Err(Reported)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn no_keyword(&mut self, node: NodeRef) -> Parsed<NodeRef> {
        let Some(keyword) = keyword(&node) else {
            return Ok(node);
        };
        if keyword == node.key
            && self.continues()
            && let Some(Control { fact, help, .. }) = Control::of(&node.key)
        {
            self.errors.error(
                keyword.span(),
                format!("a flow has no `{keyword}`: {fact}"),
                help,
            );
            return Err(Reported);
        }
        if let Some(what) = self.closure_or_block(&keyword) {
            self.errors.error(
                keyword.span(),
                format!("a flow names nodes, and this is {what}"),
                "write it as a function with `#[node]` above it, and its name here",
            );
            return Err(Reported);
        }
        let raw = format!("r#{keyword}");
        let instead = match &*keyword.to_string() {
            "loop" | "while" | "continue" => {
                "to go back, write the name of the node that the loop starts with; "
            }
            "return" | "break" => "to end the flow, write `done`; ",
            "await" => "leave it out, since a flow waits for its nodes by itself; ",
            "try" => "what follows a failure is a statement of its own, `catch(node) -> rescue`; ",
            "_" => "each node is named, and each output of a choice has a branch of its own; ",
            _ => "",
        };
        let help = match syn::parse_str::<proc_macro2::Ident>(&raw) {
            Ok(_) => format!("{instead}a node called `{keyword}` is written `{raw}`"),
            Err(_) => format!("{instead}name a node by its path, such as `plan` or `nodes::plan`"),
        };
        self.errors.error(
            keyword.span(),
            format!("`{keyword}` is a keyword of Rust, and names no node"),
            help,
        );
        Err(Reported)
    }

    /// What starts with a keyword, as in `move |draft| …` and `async { … }`.
    fn closure_or_block(&self, keyword: &proc_macro2::Ident) -> Option<&'static str> {
        let starts = ["move", "async", "unsafe", "const", "static"];
        if !starts.iter().any(|start| keyword == start) {
            return None;
        }
        let mut rest = self.tokens.iter().skip(self.at).filter(
            |token| !matches!(token, TokenTree::Ident(ident) if starts.iter().any(|it| ident == it)),
        );
        match rest.next()? {
            TokenTree::Punct(punct) if punct.as_char() == '|' => Some("a closure"),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some("a block"),
            _ => None,
        }
    }

    /// Reports a path that leads into a type: of it rustc would say that an associated type is ambiguous. A module
    /// is not written like one.
    fn no_type(&mut self, node: NodeRef) -> Parsed<NodeRef> {
        let Some(around) = type_around(&node) else {
            return Ok(node);
        };
        let (name, path) = (&node.name, node.path_text());
        let (fact, help) = match is_type_name(name) {
            true => (
                format!("`{path}` is written like a variant of `{around}`, and a flow names nodes"),
                "leave it out: the branches of a choice follow its order, `either(a, b)`, where `a` takes what its first variant holds".to_owned(),
            ),
            false => (
                format!("`{path}` leads into `{around}`, which is written like a type"),
                format!("a node is a function outside of any `impl`: move `{name}` out of it, and write `{name}`"),
            ),
        };
        self.errors.error(around.span(), fact, help);
        Err(Reported)
    }

    /// Reports the start and the end that other frameworks name.
    fn no_start_or_end(&mut self, node: NodeRef) -> Parsed<NodeRef> {
        let name = node.path_text();
        let help = match &*name {
            "START" => {
                "leave it out: the first node takes what the flow starts with, and a loop leads back to that node; a node that is called so is `self::START`"
            }
            "END" => {
                "write `done` in a branch, and nothing at the end of a chain; a node that is called so is `self::END`"
            }
            _ => return Ok(node),
        };
        let fact = format!("`{name}` is not a node");
        self.errors.error(node.span, fact, help);
        Err(Reported)
    }

    /// Whether something other than an arrow is next.
    fn continues(&self) -> bool {
        let is_arrow =
            |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '-');
        self.peek().is_some_and(|token| !is_arrow(token))
    }

    fn half_a_path(&mut self, node: &NodeRef) {
        let name = &node.name;
        let is_generic = matches!(
            self.tokens.get(self.at + 2),
            Some(TokenTree::Punct(punct)) if punct.as_char() == '<'
        );
        if is_generic {
            self.errors.error(
                node.span,
                format!("`{name}` is named with type arguments, and a node has none"),
                format!("write `{name}`"),
            );
        } else if let Some(alias) = &node.alias {
            self.errors.error(
                alias.span(),
                "the name after `as` is a single name, not a path",
                format!("write `{} as {alias}`", node.path_text()),
            );
        } else {
            self.errors.error(
                node.span,
                format!("the path `{}::` leads to no node", node.key),
                format!(
                    "write the node's name after it, such as `{}::plan`",
                    node.key
                ),
            );
        }
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
