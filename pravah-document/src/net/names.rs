//! Whether bindings and conditions name what they may read.

#![expect(
    clippy::indexing_slicing,
    reason = "nodes and edges are numbered by their own tables"
)]

use std::collections::BTreeSet;

use super::{MAX_NESTING, Net, reach::Before};
use crate::{
    catalogue::Role,
    read::{Context, Mode, Names, Place, Read},
};

/// A read of a node that is answered once it is known what runs before what.
struct Asked<'n> {
    read: &'n Read,
    /// The node that is read.
    source: usize,
    /// The node that reads, or the one that it is in where both are in the same graph.
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
        let mut asked = Vec::new();
        for (node, draft) in self.drafts.iter().enumerate() {
            for read in &draft.reads {
                self.check(read, node, false, names, &mut asked, context);
            }
            for read in &draft.unresolved {
                self.check_unresolved(read, node, names, context);
            }
        }
        for (index, edge) in self.edges.iter().enumerate() {
            for read in &edge.reads {
                let jump = edge.jumps.map(|_| index);
                self.check_edge(read, edge.from, jump, names, &mut asked, context);
            }
        }
        self.check_items(names, context);
        if is_ordered {
            self.answer(&asked, context);
        }
    }

    /// Settings hold no bindings; what only looks like one is a text.
    fn check_unresolved(
        &self,
        read: &Read,
        node: usize,
        names: &Names<'_>,
        context: &mut Context<'_, '_>,
    ) {
        let root = read.root();
        let mut owners = self.owners(node);
        let is_known = root == "flow" || names.get(root).is_some();
        if is_known || owners.any(|owner| self.drafts[owner].locals.contains(&root)) {
            let span = context.narrow(read.span, &read.path);
            let message =
                "settings are not read for bindings: this one would stay as it is written";
            let problem = context.sink.push("binding-in-config", span, message);
            problem.help(
                "bindings are for `input`; `agent.run` has `system` and `model` there as well",
            );
        }
    }

    /// The condition of an edge can read its source besides what the source can read; that of a loop edge can read all
    /// that is repeated.
    fn check_edge<'n>(
        &'n self,
        read: &'n Read,
        source: usize,
        jump: Option<usize>,
        names: &Names<'_>,
        asked: &mut Vec<Asked<'n>>,
        context: &mut Context<'_, '_>,
    ) {
        if let (Some(jump), Some(named)) = (jump, names.get(read.root())) {
            let is_repeated = self
                .chain(named)
                .iter()
                .any(|region| self.regions[*region].edge == jump);
            if is_repeated {
                self.check_fields(read, named, context);
                return;
            }
        }
        self.check(read, source, true, names, asked, context);
    }

    fn check<'n>(
        &'n self,
        read: &'n Read,
        node: usize,
        is_edge: bool,
        names: &Names<'_>,
        asked: &mut Vec<Asked<'n>>,
        context: &mut Context<'_, '_>,
    ) {
        let root = read.root();
        if root == "flow" {
            self.check_flow(read, context);
            return;
        }
        let owner = self
            .owners(node)
            .find(|owner| self.drafts[*owner].locals.contains(&root));
        if let Some(owner) = owner {
            self.check_local(read, owner, names, context);
            return;
        }
        let Some(source) = names.get(root) else {
            if !read.may_be_local {
                self.report_unknown(read, names, context);
            }
            return;
        };
        self.check_fields(read, source, context);
        let owner = self.parent[source];
        if read.place == Place::Between && owner == Some(node) {
            self.check_between(read, context);
            return;
        }
        // The reader, or the node around it that is in the same graph.
        let reader = std::iter::once(node)
            .chain(self.owners(node))
            .find(|reader| self.parent[*reader] == owner);
        let Some(reader) = reader else {
            self.report_inside(read, source, context);
            return;
        };
        if is_edge && source == node {
            return;
        }
        let is_loop = owner.is_some_and(|owner| self.drafts[owner].role == Some(Role::Loop));
        let is_repeated = self.share_region(source, reader);
        let is_within = owner.is_some() && reader == node || is_repeated;
        let has_rounds = is_within && (is_loop || is_repeated);
        asked.push(Asked {
            read,
            source,
            reader,
            is_within,
            has_rounds,
        });
    }

    /// What a body names besides ids and its item are numbers and truth values, which have no parts.
    fn check_local(
        &self,
        read: &Read,
        owner: usize,
        names: &Names<'_>,
        context: &mut Context<'_, '_>,
    ) {
        let root = read.root();
        let draft = &self.drafts[owner];
        let is_item = draft.role == Some(Role::Foreach) && draft.locals.first() == Some(&root);
        if is_item || read.path == root {
            return;
        }
        let span = context.narrow(read.span, &read.path);
        let (path, owner) = (&read.path, draft.id.text);
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

    fn answer(&self, asked: &[Asked<'_>], context: &mut Context<'_, '_>) {
        let pairs: Vec<_> = asked
            .iter()
            .map(|asked| (asked.source, asked.reader))
            .collect();
        for (asked, before) in asked.iter().zip(self.before(&pairs)) {
            let mode = asked.read.mode;
            match before {
                Before::Surely => {}
                Before::Perhaps if matches!(mode, Mode::Optional | Mode::Variable) => {}
                Before::Perhaps => self.report_perhaps(asked, context),
                Before::No if asked.is_within && mode != Mode::Strict => {}
                Before::No => self.report_not_before(asked, context),
            }
        }
    }

    fn report_perhaps(&self, asked: &Asked<'_>, context: &mut Context<'_, '_>) {
        let (source, path) = (self.id(asked.source), &asked.read.path);
        let message = format!(
            "`{source}` may not have ended here: a `control.merge` of `any` does not wait for it"
        );
        let span = context.narrow(asked.read.span, path);
        context
            .sink
            .push("may-be-absent", span, message)
            .help(format!("write `{{{{? {path} }}}}`"));
    }

    fn report_not_before(&self, asked: &Asked<'_>, context: &mut Context<'_, '_>) {
        let (source, reader) = (self.id(asked.source), self.id(asked.reader));
        let span = context.narrow(asked.read.span, &asked.read.path);
        if asked.source == asked.reader {
            let message = format!("`{source}` has no output yet when this is read");
            context.sink.push("not-before", span, message);
        } else if asked.has_rounds {
            let message = format!("`{source}` does not run before `{reader}` in the first round");
            let path = &asked.read.path;
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
    fn check_between(&self, read: &Read, context: &mut Context<'_, '_>) {
        if read.mode == Mode::Strict {
            let path = &read.path;
            let message = format!("`{}` has no output before the first round", read.root());
            let help = format!("write `{{{{? {path} }}}}`, give a default, or write a condition");
            let span = context.narrow(read.span, path);
            context.sink.push("may-be-absent", span, message).help(help);
        }
    }

    fn report_unknown(&self, read: &Read, names: &Names<'_>, context: &mut Context<'_, '_>) {
        let root = read.root();
        let span = context.narrow(read.span, &read.path);
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
                problem.help(format!("the input of the flow is `flow.{}`", read.path));
            }
            _ => {
                problem.did_you_mean(near);
            }
        }
    }

    fn report_inside(&self, read: &Read, source: usize, context: &mut Context<'_, '_>) {
        let owner = self.parent[source].map_or("", |owner| self.id(owner));
        let span = context.narrow(read.span, &read.path);
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
