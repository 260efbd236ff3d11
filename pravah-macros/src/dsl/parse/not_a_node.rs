//! Reports what is written in place of a node: a keyword, a path into a type, an attribute, half a path.

use proc_macro2::{Delimiter, TokenTree};
use syn::ext::IdentExt;

use super::{Parsed, Parser, Reported};
use crate::{
    dsl::{
        ast::NodeRef,
        tokens::{keyword, type_around},
        words::{Control, DONE},
    },
    types::is_type_name,
};

impl Parser<'_> {
    /// What to write in place of an attribute in a flow. A doc comment is one, too.
    pub(super) fn help_for_attribute(&self) -> &'static str {
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
    pub(super) fn refuse_done_as_alias(&mut self, node: &NodeRef) -> Parsed<()> {
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

    /// Reports a keyword of Rust, which names no node.
    pub(super) fn refuse_keyword(&mut self, node: NodeRef) -> Parsed<NodeRef> {
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
    pub(super) fn refuse_path_into_type(&mut self, node: NodeRef) -> Parsed<NodeRef> {
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

    /// Reports the start and the end that other frameworks name, and a branch that is left out.
    pub(super) fn refuse_start_and_end(&mut self, node: NodeRef) -> Parsed<NodeRef> {
        let name = node.path_text();
        let help = match &*name {
            "START" => {
                "leave it out: the first node takes what the flow starts with, and a loop leads back to that node; a node of that name is written `self::START`"
            }
            "END" => {
                "write `done` in a branch, and nothing at the end of a chain; a node of that name is written `self::END`"
            }
            "None" => {
                "write `done` for a branch that ends the flow: each output of a choice has a branch of its own; a node of that name is written `self::None`"
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

    /// Reports a path that breaks off, has type arguments, or follows `as`.
    pub(super) fn report_half_a_path(&mut self, node: &NodeRef) {
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
}
