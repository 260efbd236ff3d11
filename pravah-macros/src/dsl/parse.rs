//! From tokens to statements. It recovers: a mistake is reported, the rest of its statement is
//! passed over, and the next one is parsed.

mod each;
mod not_a_node;
mod parts;

use proc_macro2::{Span, TokenStream, TokenTree};

use super::{
    ast::{Group, GroupKind, NodeRef, Source, Statement, Target},
    tokens::{empty_branch, node_ref, pattern, split},
    words::{DONE, Word},
};
use crate::diag::Diagnostics;

/// Parses the tokens between the braces of `flow! { … }`, which is at `at`.
pub(crate) fn parse(tokens: TokenStream, at: Span, errors: &mut Diagnostics) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut empty = true;
    for part in split(tokens, ';') {
        let is_first = std::mem::replace(&mut empty, false);
        let mut parser = Parser {
            tokens: part,
            at: 0,
            separator: ';',
            errors,
        };
        statements.extend(parser.statement(is_first));
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
    fn statement(&mut self, is_first: bool) -> Option<Statement> {
        let mut targets = Vec::new();
        let source = if is_first && self.takes_the_input() {
            targets.push(self.target(Span::call_site(), true).ok()?);
            Source::Input
        } else {
            self.source(is_first).ok()?
        };
        let mut failed = false;
        while self.peek().is_some() && !failed {
            match self
                .arrow()
                .and_then(|arrow| self.target(arrow, targets.last().is_none_or(is_node)))
            {
                Ok(target) => {
                    not_after_done(targets.last(), &target, self.errors);
                    targets.push(target);
                }
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

    /// Whether a group or a list is next that can take the input of the flow.
    fn takes_the_input(&self) -> bool {
        let (Some(TokenTree::Ident(word)), Some(TokenTree::Group(_))) =
            (self.peek(), self.tokens.get(self.at + 1))
        else {
            return false;
        };
        matches!(Word::of(&word.to_string()), Some(Word::Fork | Word::Each))
    }

    fn source(&mut self, is_first: bool) -> Parsed<Source> {
        if let Some((word, span, inside)) = self.word()? {
            return match word {
                Word::Catch => Ok(Source::Catch(self.one_node(word, span, inside)?)),
                Word::Either if is_first => {
                    self.errors.error(
                        span,
                        "a flow cannot start with `either`",
                        "write `node -> either(a, b)`, after the node that chooses; or `fork(a, b)`, if all of them take the input",
                    );
                    Err(Reported)
                }
                Word::Either | Word::Fork => {
                    not_after_node(self.errors, word, span);
                    Err(Reported)
                }
                Word::Join | Word::Each => {
                    let help = match word {
                        Word::Join => "write it behind the branches, with the node where they meet: `fork(a, b) -> join(node)`".to_owned(),
                        word => format!("write a node before it: `first -> {}`", word.usage()),
                    };
                    self.errors.error(
                        span,
                        format!("a statement cannot start with `{}`", word.name()),
                        help,
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

    /// A target; `after_node` says whether a node is directly before it.
    fn target(&mut self, arrow: Span, after_node: bool) -> Parsed<Target> {
        if self.peek().is_none() {
            self.errors.error(
                arrow,
                "nothing comes after this `->`",
                "write the node that goes on, or remove the arrow",
            );
            return Err(Reported);
        }
        let is_first_in_chain = self.separator == ',' && self.at == 0;
        let Some((word, span, inside)) = self.word()? else {
            let node = self.node(match is_first_in_chain {
                true => "a branch starts with a node",
                false => "`->` leads to a node",
            })?;
            if node.key == DONE {
                if self.peek().is_some() {
                    self.arrow()?;
                    self.errors.error(node.span, "`done` ends the flow, and nothing comes after it", "remove what follows, or name a node instead; a node of that name is written `self::done`");
                    return Err(Reported);
                }
                return Ok(Target::Done(node.span));
            }
            return Ok(Target::Node(node));
        };
        match word {
            Word::Fork if is_first_in_chain => {
                self.errors.error(
                    span,
                    "this `fork` has no node before it",
                    "write `node -> fork(a, b)`, with the node that returns the states of the branches; or move the `fork` into a flow of its own, and name that flow here",
                );
                Err(Reported)
            }
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
            Word::Each => Ok(Target::Each(self.each(span, inside)?)),
            Word::Catch => {
                self.errors.error(
                    span,
                    "`catch` starts a statement",
                    "write it after a `;` of the flow: `catch(node) -> rescue`; inside `each`, name a flow that has it",
                );
                Err(Reported)
            }
        }
    }

    fn group(&mut self, kind: GroupKind, span: Span, inside: TokenStream) -> Parsed<Group> {
        if let Some((at, sign)) = pattern(inside.clone()) {
            let what = if sign == ":" { "labels" } else { "patterns" };
            let help = match kind {
                GroupKind::Fork => format!("branches have no {what}: write `fork(a, b)`"),
                GroupKind::Either => format!(
                    "branches have no {what}: they follow the order of the choice, `either(a, b)`"
                ),
            };
            let fact = format!("expected `->` or `,`, found `{sign}`");
            self.errors.error(at, fact, help);
            return Err(Reported);
        }
        let mut branches = Vec::new();
        let mut failed = false;
        if let Some(comma) = empty_branch(inside.clone()) {
            self.errors.error(
                comma,
                "nothing is before this `,`",
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
            let each = match kind {
                GroupKind::Fork => "; or `each(a)`, if the node before returns a list",
                GroupKind::Either => "",
            };
            self.errors.error(
                span,
                format!("`{}` has {count}, and needs two", word.name()),
                format!("write `{}`, or a plain `->`{each}", word.usage()),
            );
            return Err(Reported);
        }
        Ok(Group {
            kind,
            span,
            branches,
        })
    }

    /// The targets of a branch; the first is directly after nothing.
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
            let target = parser.target(arrow, after_node)?;
            not_after_done(targets.last(), &target, parser.errors);
            targets.push(target);
        }
        Ok(targets)
    }

    /// The node in `join(node)` or `catch(node)`.
    fn one_node(&mut self, word: Word, span: Span, inside: TokenStream) -> Parsed<NodeRef> {
        let tokens: Vec<TokenTree> = inside.into_iter().collect();
        match node_ref(&tokens, 0) {
            Some((node, end))
                if end == tokens.len() && (node.alias.is_some() || node.key != DONE) =>
            {
                self.refuse_done_as_alias(&node)?;
                self.refuse_keyword(node)
            }
            _ => {
                let help = match word {
                    Word::Join if is_done(&tokens) => {
                        "`done` is no node: write `either(a, b) -> done`; after `fork(a, b)` name a node that takes what both return, `-> join(node)`"
                    }
                    Word::Join => {
                        "name the node where the branches meet: `fork(a, b) -> join(node)`"
                    }
                    _ if is_list(&tokens) => {
                        "to catch the failure of one item, name a flow in `each`, with the node and its `catch` inside; to catch that of the whole list, move the list into a flow, and write `catch` around its name"
                    }
                    _ => {
                        "name the node whose failure goes on: `catch(node) -> rescue`; to catch the failures of several nodes, move them into a flow of their own, and write `catch` around its name"
                    }
                };
                self.errors
                    .error(span, format!("`{}` takes one node", word.name()), help);
                Err(Reported)
            }
        }
    }
}

fn is_done(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [TokenTree::Ident(word)] if word == DONE)
}

/// Whether it is `each(…)`.
fn is_list(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [TokenTree::Ident(word), TokenTree::Group(_)] if word == Word::Each.name())
}

impl GroupKind {
    pub(crate) fn word(self) -> Word {
        match self {
            Self::Either => Word::Either,
            Self::Fork => Word::Fork,
        }
    }
}

/// Whether a group may follow this target.
fn is_node(target: &Target) -> bool {
    matches!(target, Target::Node(_) | Target::Join(..))
}

/// Reports a node that follows branches all of which are `done`.
fn not_after_done(before: Option<&Target>, target: &Target, errors: &mut Diagnostics) {
    let (Some(Target::Group(group)), Target::Node(node) | Target::Join(node, _)) = (before, target)
    else {
        return;
    };
    let (name, word) = (&node.name, group.kind.word().name());
    let all = |is: fn(&[Target]) -> bool| group.branches.iter().all(|branch| is(branch));
    if !all(|branch| matches!(branch.last(), Some(Target::Done(_)))) {
        return;
    }
    let help = match all(|branch| branch.len() == 1) {
        true => {
            let joins = vec![format!("join({name})"); group.branches.len()].join(", ");
            format!("lead the branches into it: `{word}({joins})`")
        }
        false if group.kind == GroupKind::Fork => {
            format!("remove `-> done` from the branches, and let them meet in `join({name})`")
        }
        false => format!("remove `-> done` from the branches that go on to `{name}`"),
    };
    errors.error(
        node.span,
        format!(
            "nothing leads to `{name}`: every branch of this `{word}` ends the flow with `done`"
        ),
        help,
    );
}

fn not_after_node(errors: &mut Diagnostics, word: Word, span: Span) {
    let (name, usage) = (word.name(), word.usage());
    errors.error(
        span,
        format!("`{name}` is not directly after a node"),
        format!("write `node -> {usage}`, after the node whose states the branches take"),
    );
}
