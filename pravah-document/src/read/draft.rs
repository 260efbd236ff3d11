//! What was read of nodes and edges, before they are put together.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Context;
use crate::{
    catalogue::Role,
    model::{Policy, Selector, Work},
    tree::Span,
    when::When,
};

/// A word of the document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'a> {
    pub(crate) text: &'a str,
    pub(crate) span: Span,
}

/// A node. What is wrong with a part of it was reported, and left out.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    pub(crate) id: Name<'a>,
    pub(crate) type_name: &'a str,
    /// Nothing if the type is unknown.
    pub(crate) role: Option<Role>,
    /// Nothing if there is a problem with it. The graph of a body is not in it yet.
    pub(crate) work: Option<Work>,
    pub(crate) config: Value,
    pub(crate) when: Option<When>,
    pub(crate) policy: Policy,
    /// The nodes of its body, and the key that they are listed at.
    pub(crate) body: Option<(Vec<Name<'a>>, Span)>,
    /// The names that nodes in its body can use besides ids.
    pub(crate) locals: Vec<&'a str>,
    /// What looks like bindings in its settings.
    pub(crate) unresolved: Vec<Reference>,
    /// Whether its agent is under a contract.
    pub(crate) has_contract: bool,
    /// What its input and its condition refer to.
    pub(crate) references: Vec<Reference>,
    /// References to names that the node itself defines, such as `item` in `data.map`.
    pub(crate) local_references: Vec<Reference>,
}

/// An edge between two nodes.
#[derive(Debug)]
pub(crate) struct DraftEdge {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Where it is written, for problems with it as a whole.
    pub(crate) span: Span,
    pub(crate) on: Selector,
    pub(crate) when: Option<When>,
    /// How many jumps are allowed, if it leads back.
    pub(crate) jumps: Option<u32>,
    /// What its condition refers to.
    pub(crate) references: Vec<Reference>,
}

/// What a binding, or a variable of a condition, refers to.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub(crate) path: String,
    pub(crate) span: Span,
    pub(crate) mode: Mode,
    pub(crate) place: Place,
    /// Whether it may name something that is known in a run only.
    pub(crate) may_be_local: bool,
    /// The types allowed where it is used, if the binding is the whole value. Empty: any type.
    pub(crate) expected_types: Vec<String>,
}

impl Reference {
    pub(crate) fn root(&self) -> &str {
        self.path.split('.').next().unwrap_or_default()
    }
}

/// What becomes of a reference whose path names nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It fails.
    Strict,
    /// It is empty.
    Optional,
    /// It has another value.
    Default,
    /// The comparison that it is part of is false.
    Variable,
}

/// Where a reference is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Where it is resolved before the node runs.
    Before,
    /// In the condition of a loop, which is looked at between its rounds.
    Between,
}

/// The nodes by their ids.
pub(crate) struct Names<'a> {
    by_id: BTreeMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    /// Finds ids that come twice besides.
    pub(crate) fn of(drafts: &[Draft<'a>], context: &mut Context<'_, '_>) -> Self {
        let mut by_id = BTreeMap::new();
        for (index, draft) in drafts.iter().enumerate() {
            let id = draft.id;
            if by_id.contains_key(id.text) {
                let message = format!("there is another node `{}`", id.text);
                context
                    .sink
                    .push("duplicate-id", id.span, message)
                    .help("give each node an id of its own");
            } else if !id.text.is_empty() {
                by_id.insert(id.text, index);
            }
        }
        Self { by_id }
    }

    pub(crate) fn get(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The node of this id; what names none is reported.
    pub(crate) fn find(&self, name: Name<'_>, context: &mut Context<'_, '_>) -> Option<usize> {
        let found = self.get(name.text);
        if found.is_none() {
            let near = self.nearest(name.text, context);
            let message = format!("there is no node `{}`", name.text);
            context
                .sink
                .push("unknown-node", name.span, message)
                .did_you_mean(near);
        }
        found
    }

    pub(crate) fn nearest(&self, word: &str, context: &mut Context<'_, '_>) -> Option<&'a str> {
        context.nearest(word, self.by_id.keys().copied())
    }
}
