//! Whether bindings and conditions name what they may read.

#![expect(
    clippy::indexing_slicing,
    reason = "nodes and edges are numbered by their own tables"
)]

use std::collections::BTreeSet;

use super::{MAX_NESTING, Net, fields::is_of_success, reach::Before, skips::StrictRead};
use crate::{
    catalogue::Role,
    read::{Context, Mode, Names, Place, Reference},
    when::When,
};

/// A reference to a node that is checked once it is known what runs before what.
struct PendingReference<'n> {
    reference: &'n Reference,
    /// The node that is referred to.
    source: usize,
    /// The node that refers to it, and that or the one around it that is in the same graph.
    node: usize,
    reader: usize,
    /// Whether they are in the same body, or in the same region of a loop edge.
    is_within: bool,
    /// Whether the output may be that of the round before.
    has_rounds: bool,
}

impl Net<'_> {
    pub(super) fn check_names(
        &self,
        names: &Names<'_>,
        is_ordered: bool,
        context: &mut Context<'_, '_>,
    ) {
        let mut pending = Vec::new();
        for (node, draft) in self.drafts.iter().enumerate() {
            for reference in &draft.references {
                self.check(reference, node, false, names, &mut pending, context);
            }
            for reference in &draft.local_references {
                self.check_shadowed(reference, names, context);
            }
            for reference in &draft.unresolved {
                self.check_unresolved(reference, node, names, context);
            }
        }
        for (index, edge) in self.edges.iter().enumerate() {
            for reference in &edge.references {
                let jump = edge.jumps.map(|_| index);
                self.check_edge(reference, edge.from, jump, names, &mut pending, context);
            }
        }
        self.check_items(names, context);
        if is_ordered {
            self.check_order(&pending, names, context);
        }
    }

    /// Refuses a name that could mean both what a node defines in its input and another node.
    fn check_shadowed(
        &self,
        reference: &Reference,
        names: &Names<'_>,
        context: &mut Context<'_, '_>,
    ) {
        let root = reference.root();
        if names.get(root).is_none() {
            return;
        }
        let message =
            format!("`{root}` is defined by this node, and is the id of another node too");
        let span = context.narrow(reference.span, &reference.path);
        let problem = context.sink.push("invalid-id", span, message);
        problem.help(format!("give the node `{root}` another id"));
    }

    /// Settings hold no bindings; what only looks like one is a text.
    fn check_unresolved(
        &self,
        reference: &Reference,
        node: usize,
        names: &Names<'_>,
        context: &mut Context<'_, '_>,
    ) {
        let root = reference.root();
        let mut owners = self.owners(node);
        let is_known = root == "flow" || names.get(root).is_some();
        if is_known || owners.any(|owner| self.drafts[owner].locals.contains(&root)) {
            let span = context.narrow(reference.span, &reference.path);
            let message =
                "settings are not read for bindings: this one would stay as it is written";
            let problem = context.sink.push("binding-in-config", span, message);
            problem.help("bindings are for `input`");
        }
    }

    /// The condition of an edge can read its source besides what the source can read; that of a loop edge can read all
    /// that is repeated.
    fn check_edge<'n>(
        &'n self,
        reference: &'n Reference,
        source: usize,
        jump: Option<usize>,
        names: &Names<'_>,
        pending: &mut Vec<PendingReference<'n>>,
        context: &mut Context<'_, '_>,
    ) {
        if let (Some(jump), Some(named)) = (jump, names.get(reference.root())) {
            let is_repeated = self
                .chain(named)
                .iter()
                .any(|region| self.regions[*region].edge == jump);
            if is_repeated {
                self.check_fields(reference, named, context);
                return;
            }
        }
        self.check(reference, source, true, names, pending, context);
    }

    fn check<'n>(
        &'n self,
        reference: &'n Reference,
        node: usize,
        is_edge: bool,
        names: &Names<'_>,
        pending: &mut Vec<PendingReference<'n>>,
        context: &mut Context<'_, '_>,
    ) {
        let root = reference.root();
        if root == "flow" {
            self.check_flow(reference, context);
            return;
        }
        let owner = self
            .owners(node)
            .find(|owner| self.drafts[*owner].locals.contains(&root));
        if let Some(owner) = owner {
            self.check_local(reference, owner, names, context);
            return;
        }
        let Some(source) = names.get(root) else {
            if !reference.may_be_local {
                self.report_unknown(reference, names, context);
            }
            return;
        };
        self.check_fields(reference, source, context);
        let owner = self.parent[source];
        if reference.place == Place::Between && owner == Some(node) {
            self.check_between(reference, context);
            return;
        }
        // The reader, or the node around it that is in the same graph.
        let reader = std::iter::once(node)
            .chain(self.owners(node))
            .find(|reader| self.parent[*reader] == owner);
        let Some(reader) = reader else {
            self.report_inside(reference, source, context);
            return;
        };
        if is_edge && source == node {
            return;
        }
        let is_loop = owner.is_some_and(|owner| self.drafts[owner].role == Some(Role::Loop));
        let is_repeated = self.share_region(source, reader);
        let is_within = owner.is_some() && reader == node || is_repeated;
        let has_rounds = is_within && (is_loop || is_repeated);
        pending.push(PendingReference {
            reference,
            source,
            reader,
            is_within,
            has_rounds,
            node,
        });
    }

    /// A node and those around it, as far as `reader`.
    pub(super) fn up_to(&self, node: usize, reader: usize) -> impl Iterator<Item = usize> {
        let around = std::iter::once(node).chain(self.owners(node));
        around.take_while(move |it| *it != reader).chain([reader])
    }

    /// Whether a node, or one around it as far as `reader`, has a condition that reads `source`.
    fn is_guarded(&self, node: usize, reader: usize, source: &str) -> bool {
        let reads = |when: &When| when.roots().contains(&source);
        self.up_to(node, reader).any(|node| {
            let edges = self.into[node].iter();
            let whens = edges.filter_map(|edge| self.edges[*edge].when.as_ref());
            whens.chain(&self.drafts[node].when).any(reads)
        })
    }

    /// What a body names besides ids and its item are numbers and truth values, which have no parts.
    fn check_local(
        &self,
        reference: &Reference,
        owner: usize,
        names: &Names<'_>,
        context: &mut Context<'_, '_>,
    ) {
        let root = reference.root();
        let draft = &self.drafts[owner];
        let is_item = draft.role == Some(Role::Foreach) && draft.locals.first() == Some(&root);
        if is_item || reference.path == root {
            return;
        }
        let span = context.narrow(reference.span, &reference.path);
        let (path, owner) = (&reference.path, draft.id.text);
        let message =
            format!("`{path}` names nothing: `{root}` is a number in the body of `{owner}`");
        let problem = context.sink.push("unknown-name", span, message);
        if names.get(root).is_some() {
            problem.help(format!("give the node `{root}` another id to read it here"));
        }
    }

    /// The nodes whose bodies a node is in, from within.
    fn owners(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.parent[node], |owner| self.parent[*owner]).take(MAX_NESTING + 1)
    }

    fn share_region(&self, one: usize, other: usize) -> bool {
        let (Some(one), Some(other)) = (self.chain(one).pop(), self.chain(other).pop()) else {
            return false;
        };
        one == other
    }

    fn check_order(
        &self,
        pending: &[PendingReference<'_>],
        names: &Names<'_>,
        context: &mut Context<'_, '_>,
    ) {
        let pairs: Vec<_> = pending
            .iter()
            .map(|pending| (pending.source, pending.reader))
            .collect();
        let mut strict = Vec::new();
        for (pending, before) in pending.iter().zip(self.before(&pairs)) {
            let mode = pending.reference.mode;
            match before {
                Before::Surely if self.needs_success(pending) => strict.push(StrictRead {
                    reference: pending.reference,
                    source: pending.source,
                    node: pending.node,
                    reader: pending.reader,
                }),
                Before::Surely => {}
                Before::Perhaps if matches!(mode, Mode::Optional | Mode::Variable) => {}
                Before::Perhaps => self.report_perhaps(pending, context),
                Before::No if pending.is_within && mode != Mode::Strict => {}
                Before::No => self.report_not_before(pending, context),
            }
        }
        self.check_skips(&strict, names, context);
    }

    /// Whether what is read is there only if the node that is read has succeeded.
    fn needs_success(&self, pending: &PendingReference<'_>) -> bool {
        let reference = pending.reference;
        reference.mode == Mode::Strict
            && is_of_success(&reference.path)
            && !self.is_guarded(pending.node, pending.reader, reference.root())
    }

    fn report_perhaps(&self, pending: &PendingReference<'_>, context: &mut Context<'_, '_>) {
        let (source, path) = (self.id(pending.source), &pending.reference.path);
        let message = format!(
            "`{source}` may not have ended here: a `control.merge` of `any` does not wait for it"
        );
        let span = context.narrow(pending.reference.span, path);
        context
            .sink
            .push("may-be-absent", span, message)
            .help(format!("write `{{{{? {path} }}}}`"));
    }

    fn report_not_before(&self, pending: &PendingReference<'_>, context: &mut Context<'_, '_>) {
        let (source, reader) = (self.id(pending.source), self.id(pending.reader));
        let span = context.narrow(pending.reference.span, &pending.reference.path);
        if pending.source == pending.reader {
            let message = format!("`{source}` has no output yet when this is read");
            context.sink.push("not-before", span, message);
        } else if pending.has_rounds {
            let message = format!("`{source}` does not run before `{reader}` in the first round");
            let path = &pending.reference.path;
            let help = format!("write `{{{{? {path} }}}}`, or give a default");
            context.sink.push("may-be-absent", span, message).help(help);
        } else {
            let message = format!("`{source}` does not run before `{reader}`");
            let problem = context.sink.push("not-before", span, message);
            problem.help(format!(
                "add an edge, directly or over other nodes, from `{source}` to `{reader}`"
            ));
        }
    }

    /// The condition of a loop is looked at before the first round as well.
    fn check_between(&self, reference: &Reference, context: &mut Context<'_, '_>) {
        if reference.mode == Mode::Strict {
            let path = &reference.path;
            let message = format!(
                "`{}` has no output before the first round",
                reference.root()
            );
            let help = format!("write `{{{{? {path} }}}}`, give a default, or write a condition");
            let span = context.narrow(reference.span, path);
            context.sink.push("may-be-absent", span, message).help(help);
        }
    }

    fn report_unknown(
        &self,
        reference: &Reference,
        names: &Names<'_>,
        context: &mut Context<'_, '_>,
    ) {
        let root = reference.root();
        let span = context.narrow(reference.span, &reference.path);
        let near = names.nearest(root, context);
        let problem = context.sink.push(
            "unknown-name",
            span,
            format!("nothing is called `{root}` here"),
        );
        match root {
            "item" | "index" | "count" | "$index" | "$count" | "$first" | "$last" => {
                problem.help("this name is known in the body of a `control.foreach`");
            }
            "iteration" => {
                problem.help("this name is known in the body of a `control.loop`");
            }
            "input" => {
                problem.help(format!(
                    "the input of the flow is `flow.{}`",
                    reference.path
                ));
            }
            _ => {
                problem.did_you_mean(near);
            }
        }
    }

    fn report_inside(&self, reference: &Reference, source: usize, context: &mut Context<'_, '_>) {
        let owner = self.parent[source].map_or("", |owner| self.id(owner));
        let span = context.narrow(reference.span, &reference.path);
        let message = format!(
            "`{}` is in the body of `{owner}`, and can be read only there",
            self.id(source)
        );
        let problem = context.sink.push("inside-body", span, message);
        problem
            .label("read from outside")
            .help(format!("read `{owner}.iterations`"));
    }

    /// What a body calls an item is not the id of a node, so that it is clear what is meant.
    fn check_items(&self, names: &Names<'_>, context: &mut Context<'_, '_>) {
        let mut seen = BTreeSet::new();
        for (owner, draft) in self.drafts.iter().enumerate() {
            let Some(item) = draft
                .locals
                .first()
                .filter(|_| draft.role == Some(Role::Foreach))
            else {
                continue;
            };
            if names.get(item).is_some() && seen.insert(owner) {
                let message = format!(
                    "the body of `{}` calls its items `{item}`, as a node is called",
                    draft.id.text
                );
                let problem = context.sink.push("invalid-id", draft.id.span, message);
                problem.help("call them something else with `as`");
            }
        }
    }
}
