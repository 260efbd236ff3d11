//! From tokens to statements. It recovers: a mistake is reported, the rest of its statement is
//! passed over, and the next one is parsed.

use proc_macro2::{Delimiter, Spacing, Span, TokenStream, TokenTree};

use super::{
    ast::{Group, GroupKind, NodeRef, Source, Statement, Target},
    tokens::{colons, empty_branch, keyword, path, split},
    words::{self, DONE, Word},
};
use crate::diag::Diagnostics;

/// Parses the tokens between the braces of `flow! { … }`, which stands at `at`.
pub(crate) fn parse(tokens: TokenStream, at: Span, errors: &mut Diagnostics) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut empty = true;
    for part in split(tokens, ';') {
        empty = false;
        let mut parser = Parser {
            tokens: part,
            at: 0,
            separator: ';',
            errors,
        };
        statements.extend(parser.statement());
    }
    if empty {
        errors.error(
            at,
            "the flow is empty",
            "name its first node: `flow! { first -> second }`",
        );
    }
    statements
}

struct Parser<'a> {
    tokens: Vec<TokenTree>,
    at: usize,
    /// What ends the part that is parsed: `;` a statement, `,` a branch.
    separator: char,
    errors: &'a mut Diagnostics,
}

/// A mistake was reported; what follows it is passed over.
struct Reported;

type Parsed<T> = Result<T, Reported>;

impl Parser<'_> {
    fn statement(&mut self) -> Option<Statement> {
        let source = self.source().ok()?;
        let mut targets = Vec::new();
        let mut failed = false;
        while self.peek().is_some() && !failed {
            match self
                .arrow()
                .and_then(|arrow| self.target(arrow, targets.last().is_none_or(is_node)))
            {
                Ok(target) => targets.push(target),
                Err(Reported) => failed = true,
            }
        }
        if let (Source::Catch(node), true, false) = (&source, targets.is_empty(), failed) {
            let span = node.span;
            self.errors.error(
                span,
                "nothing rescues after `catch`",
                format!(
                    "write `catch({0}) -> rescue`, with a node that takes `Failure<_>`",
                    node.name
                ),
            );
        }
        if let (Source::Catch(_), Some(Target::Group(group))) = (&source, targets.first()) {
            not_after_node(self.errors, group.kind.word(), group.span);
            return None;
        }
        Some(Statement { source, targets })
    }

    fn source(&mut self) -> Parsed<Source> {
        if let Some((word, span, inside)) = self.word()? {
            return match word {
                Word::Catch => Ok(Source::Catch(self.one_node(word, span, inside)?)),
                Word::Either | Word::Fork => {
                    not_after_node(self.errors, word, span);
                    Err(Reported)
                }
                Word::Join | Word::Each => {
                    self.errors.error(
                        span,
                        format!("a statement cannot start with `{}`", word.name()),
                        format!("write a node before it: `first -> {}`", word.usage()),
                    );
                    Err(Reported)
                }
            };
        }
        let node = self.node("a statement starts with a node")?;
        if node.key == DONE {
            self.errors.error(
                node.span,
                "a statement starts with a node, and `done` ends the flow",
                "write `node -> done`; a node of that name is written `self::done`",
            );
            return Err(Reported);
        }
        Ok(Source::Node(node))
    }

    /// A target; `after_node` says whether a node stands directly before it.
    fn target(&mut self, arrow: Span, after_node: bool) -> Parsed<Target> {
        if self.peek().is_none() {
            self.errors.error(
                arrow,
                "nothing comes after this `->`",
                "write the node that goes on, or remove the arrow",
            );
            return Err(Reported);
        }
        let Some((word, span, inside)) = self.word()? else {
            let node = self.node("`->` leads to a node")?;
            if node.key == DONE {
                if self.peek().is_some() {
                    self.errors.error(node.span, "`done` ends the flow, and nothing comes after it", "remove what follows, or name a node instead; a node of that name is written `self::done`");
                    return Err(Reported);
                }
                return Ok(Target::Done(node.span));
            }
            return Ok(Target::Node(node));
        };
        match word {
            Word::Either | Word::Fork if !after_node => {
                not_after_node(self.errors, word, span);
                Err(Reported)
            }
            Word::Either => Ok(Target::Group(self.group(
                GroupKind::Either,
                span,
                inside,
            )?)),
            Word::Fork => Ok(Target::Group(self.group(GroupKind::Fork, span, inside)?)),
            Word::Join => Ok(Target::Join(self.one_node(word, span, inside)?, span)),
            Word::Each => Ok(Target::Each(self.each(span, inside)?, span)),
            Word::Catch => {
                self.errors.error(
                    span,
                    "`catch` starts a statement",
                    "write it after a `;`: `catch(node) -> rescue`",
                );
                Err(Reported)
            }
        }
    }

    fn group(&mut self, kind: GroupKind, span: Span, inside: TokenStream) -> Parsed<Group> {
        let mut branches = Vec::new();
        let mut failed = false;
        if let Some(comma) = empty_branch(inside.clone()) {
            self.errors.error(
                comma,
                "nothing stands before this `,`",
                "write a branch, or remove the `,`",
            );
            failed = true;
        }
        for part in split(inside, ',') {
            match self.chain(part, span) {
                Ok(branch) => branches.push(branch),
                Err(Reported) => failed = true,
            }
        }
        if failed {
            return Err(Reported);
        }
        if branches.len() < 2 {
            let word = kind.word();
            let count = if branches.is_empty() {
                "no branches"
            } else {
                "one branch"
            };
            self.errors.error(
                span,
                format!("`{}` has {count}, and needs two", word.name()),
                format!("write `{}`, or a plain `->`", word.usage()),
            );
            return Err(Reported);
        }
        Ok(Group {
            kind,
            span,
            branches,
        })
    }

    fn each(&mut self, span: Span, inside: TokenStream) -> Parsed<Vec<Target>> {
        let tokens: Vec<TokenTree> = inside.into_iter().collect();
        if tokens.is_empty() {
            self.errors.error(
                span,
                "`each` is empty",
                "write the chain that every item runs through: `each(a -> b)`",
            );
            return Err(Reported);
        }
        let comma = tokens
            .iter()
            .find(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ','));
        if let Some(comma) = comma {
            self.errors.error(
                comma.span(),
                "`each` runs one chain, and this `,` starts another",
                "write `->` between its nodes; for several branches choose or fork inside the chain",
            );
            return Err(Reported);
        }
        let chain = self.chain(tokens, span)?;
        match chain.first() {
            Some(Target::Node(_)) => Ok(chain),
            _ => {
                self.errors.error(
                    span,
                    "the chain in `each` does not start with a node",
                    "name the node that takes an item: `each(a -> b)`",
                );
                Err(Reported)
            }
        }
    }

    /// The targets of a branch; the first stands directly after nothing.
    fn chain(&mut self, tokens: Vec<TokenTree>, around: Span) -> Parsed<Vec<Target>> {
        let mut parser = Parser {
            tokens,
            at: 0,
            separator: ',',
            errors: self.errors,
        };
        let mut targets = vec![parser.target(around, false)?];
        while parser.peek().is_some() {
            let arrow = parser.arrow()?;
            let after_node = targets.last().is_some_and(is_node);
            targets.push(parser.target(arrow, after_node)?);
        }
        Ok(targets)
    }

    /// The node in `join(node)` or `catch(node)`.
    fn one_node(&mut self, word: Word, span: Span, inside: TokenStream) -> Parsed<NodeRef> {
        let tokens: Vec<TokenTree> = inside.into_iter().collect();
        match path(&tokens, 0) {
            Some((node, end)) if end == tokens.len() && node.key != DONE => self.no_keyword(node),
            _ => {
                let help = match word {
                    Word::Join => {
                        "name the node where the branches meet: `fork(a, b) -> join(node)`"
                    }
                    _ => "name the node whose failure goes on: `catch(node) -> rescue`",
                };
                self.errors
                    .error(span, format!("`{}` takes one node", word.name()), help);
                Err(Reported)
            }
        }
    }

    fn peek(&self) -> Option<&TokenTree> {
        self.tokens.get(self.at)
    }

    /// A name before `(`: a word of the language, or a mistake.
    fn word(&mut self) -> Parsed<Option<(Word, Span, TokenStream)>> {
        let (Some(TokenTree::Ident(ident)), Some(TokenTree::Group(group))) =
            (self.tokens.get(self.at), self.tokens.get(self.at + 1))
        else {
            return Ok(None);
        };
        if group.delimiter() != Delimiter::Parenthesis {
            return Ok(None);
        }
        let (name, span, inside) = (ident.to_string(), ident.span(), group.stream());
        self.at += 2;
        if let Some(word) = Word::of(&name) {
            return Ok(Some((word, span, inside)));
        }
        let all = words::all();
        let near = crate::options::nearest(&name, &all);
        let words = crate::options::list(&all);
        if let Some(near) = near {
            self.errors.error(
                span,
                format!("`{name}` is not a word of the flow language"),
                format!("did you mean `{near}`? the words are {words}"),
            );
        } else {
            let word = if name == DONE {
                ""
            } else {
                "; the words before `(` are "
            };
            let words = if name == DONE { "" } else { &words };
            self.errors.error(
                span,
                format!("`{name}` stands before `(`, and is not a word that does"),
                format!("write `{name}` alone{word}{words}"),
            );
        }
        Err(Reported)
    }

    fn node(&mut self, fact: &str) -> Parsed<NodeRef> {
        if let Some((node, end)) = path(&self.tokens, self.at) {
            self.at = end;
            if colons(&self.tokens, end) {
                self.half_a_path(&node);
                return Err(Reported);
            }
            return self.no_keyword(node);
        }
        let (span, found) = self.found();
        self.errors.error(
            span,
            format!("{fact}, and this is `{found}`"),
            "name a node by its path, such as `plan` or `nodes::plan`",
        );
        Err(Reported)
    }

    fn no_keyword(&mut self, node: NodeRef) -> Parsed<NodeRef> {
        let Some(keyword) = keyword(&node) else {
            return Ok(node);
        };
        let raw = format!("r#{keyword}");
        let help = match syn::parse_str::<proc_macro2::Ident>(&raw) {
            Ok(_) => format!("a node of that name is written `{raw}`"),
            Err(_) => "name a node by its path, such as `plan` or `nodes::plan`".to_owned(),
        };
        self.errors.error(
            keyword.span(),
            format!("`{keyword}` is a keyword of Rust, and names no node"),
            help,
        );
        Err(Reported)
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

    /// The next token, with what stands right behind it.
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

    /// `->`, between two nodes.
    fn arrow(&mut self) -> Parsed<Span> {
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
            self.errors.error(
                span,
                format!("a path is not written with `{found}`"),
                format!("write `::{next}`"),
            );
            return Err(Reported);
        }
        let (separator, part) = match self.separator {
            ',' => (',', "branch"),
            _ => (';', "statement"),
        };
        self.errors.error(
            span,
            format!("expected `->` or `{separator}`, found `{found}`"),
            format!("write `->` to lead on, or `{separator}` to start another {part}"),
        );
        Err(Reported)
    }
}

impl GroupKind {
    pub(crate) fn word(self) -> Word {
        match self {
            Self::Either => Word::Either,
            Self::Fork => Word::Fork,
        }
    }
}

/// Whether a group may stand after this target.
fn is_node(target: &Target) -> bool {
    matches!(target, Target::Node(_) | Target::Join(..))
}

fn not_after_node(errors: &mut Diagnostics, word: Word, span: Span) {
    let (name, usage) = (word.name(), word.usage());
    errors.error(
        span,
        format!("`{name}` does not stand directly after a node"),
        format!("write `node -> {usage}`, after the node whose states the branches take"),
    );
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
