//! The bodies of `control.foreach` and `control.loop`.

#![expect(
    clippy::indexing_slicing,
    reason = "nodes and edges are numbered by their own tables"
)]

use std::collections::BTreeSet;

use super::Net;
use crate::{
    model::Selector,
    read::{Context, DraftEdge, Name, Names},
    tree::Span,
};

/// A body: whose it is, its nodes, and where they are listed.
struct Body<'b> {
    owner: usize,
    members: Vec<(usize, Name<'b>)>,
    span: Span,
}

impl Net<'_> {
    /// Finds out which node is in which body, and the edges that bodies imply.
    pub(super) fn find_bodies(&mut self, names: &Names<'_>, context: &mut Context<'_, '_>) {
        let mut bodies = Vec::new();
        for owner in 0..self.drafts.len() {
            let Some((body, span)) = self.drafts[owner].body.take() else {
                continue;
            };
            let mut members = Vec::new();
            for name in body {
                if let Some(member) = names.find(name, context)
                    && self.enter(member, owner, name, context)
                {
                    members.push((member, name));
                }
            }
            bodies.push(Body {
                owner,
                members,
                span,
            });
        }
        self.check_cycles(&bodies, context);
        self.drop_crossing(context);
        self.add_implied(&bodies);
    }

    /// Puts a node into a body.
    fn enter(
        &mut self,
        member: usize,
        owner: usize,
        name: Name<'_>,
        context: &mut Context<'_, '_>,
    ) -> bool {
        let message = match self.parent[member] {
            _ if member == owner => format!("`{}` cannot be in its own body", name.text),
            None => {
                self.parent[member] = Some(owner);
                return true;
            }
            Some(other) if other == owner => format!("`{}` is in this body twice", name.text),
            Some(other) => format!(
                "`{}` is in the body of `{}` already",
                name.text,
                self.id(other)
            ),
        };
        context.sink.push("body", name.span, message);
        false
    }

    /// Takes nodes out of bodies that are, in the end, within themselves.
    fn check_cycles(&mut self, bodies: &[Body<'_>], context: &mut Context<'_, '_>) {
        const UNSEEN: usize = usize::MAX;
        let mut seen_from = vec![UNSEEN; self.drafts.len()];
        for Body { owner, span, .. } in bodies {
            let mut node = *owner;
            while seen_from[node] == UNSEEN {
                seen_from[node] = *owner;
                match self.parent[node] {
                    Some(parent) => node = parent,
                    None => break,
                }
            }
            let is_cyclic = seen_from[node] == *owner && self.parent[node].is_some();
            if is_cyclic {
                self.parent[node] = None;
                let message = format!("the body of `{}` is within itself", self.id(*owner));
                context.sink.push("body", *span, message);
            }
        }
    }

    /// Reports edges into a body and out of one, and leaves them out.
    fn drop_crossing(&mut self, context: &mut Context<'_, '_>) {
        let edges = std::mem::take(&mut self.edges);
        for edge in edges {
            let (from, to) = (self.parent[edge.from], self.parent[edge.to]);
            if from == to {
                self.edges.push(edge);
                continue;
            }
            let ids = (self.id(edge.from), self.id(edge.to));
            let message = format!(
                "the edge from `{}` to `{}` crosses the border of a body",
                ids.0, ids.1
            );
            let help = match (from, to) {
                (_, Some(owner)) if self.parent[owner] == from => {
                    format!(
                        "`{}` starts the nodes of its body: lead the edge to it",
                        self.id(owner)
                    )
                }
                (Some(owner), _) if self.parent[owner] == to => format!(
                    "let the edge start at `{}`, which ends when its body has ended",
                    self.id(owner)
                ),
                _ => "both ends of an edge have to be in the same body".to_owned(),
            };
            context
                .sink
                .push("crosses-body", edge.span, message)
                .help(help);
        }
    }

    /// Adds the edges of bodies that have none: their nodes run in the order in which they are listed.
    fn add_implied(&mut self, bodies: &[Body<'_>]) {
        let with_edges: BTreeSet<_> = self
            .edges
            .iter()
            .filter_map(|edge| self.parent[edge.from])
            .collect();
        for Body { members, .. } in bodies
            .iter()
            .filter(|body| !with_edges.contains(&body.owner))
        {
            for pair in members.windows(2) {
                let [(from, _), (to, name)] = pair else {
                    continue;
                };
                let goes_on = self.drafts[*from].policy.continue_on_error;
                self.edges.push(DraftEdge {
                    from: *from,
                    to: *to,
                    span: name.span,
                    on: if goes_on {
                        Selector::Any
                    } else {
                        Selector::Success
                    },
                    when: None,
                    jumps: None,
                    references: Vec::new(),
                });
            }
        }
    }
}
