//! Puts nodes, bodies and regions into graphs, once nothing is wrong with them.

#![expect(
    clippy::indexing_slicing,
    reason = "nodes and edges are numbered by their own tables"
)]

use super::Net;
use crate::{
    model::{Edge, Graph, Member, Node, Repeat, Work},
    read::Draft,
};

/// A node or a region, as a member of a graph.
#[derive(Clone, Copy)]
enum Item {
    Node(usize),
    Region(usize),
}

/// What graphs hold: that of the document first, those of the bodies, and those of the regions.
struct Parts<'n, 'a> {
    net: &'n Net<'a>,
    members: Vec<Vec<Item>>,
    edges: Vec<Vec<Edge>>,
    /// Where a node and a region is among the members of its graph.
    node_index: Vec<usize>,
    region_index: Vec<usize>,
}

impl Net<'_> {
    pub(super) fn assemble(mut self) -> Graph {
        let parts = Parts::of(&self);
        let Parts {
            members,
            edges,
            node_index,
            region_index,
            ..
        } = parts;
        let drafts = std::mem::take(&mut self.drafts);
        let mut builder = Builder {
            net: &self,
            drafts: drafts.into_iter().map(Some).collect(),
            members,
            edges,
            node_index,
            region_index,
        };
        builder.graph(0)
    }

    fn body_graph(owner: Option<usize>) -> usize {
        owner.map_or(0, |owner| owner + 1)
    }

    fn region_graph(&self, region: usize) -> usize {
        1 + self.parent.len() + region
    }

    /// The graph that holds a region.
    fn around(&self, region: usize) -> usize {
        match self.regions[region].outer {
            Some(outer) => self.region_graph(outer),
            None => {
                let first = self.regions[region]
                    .nodes
                    .first()
                    .copied()
                    .unwrap_or_default();
                Self::body_graph(self.parent[first])
            }
        }
    }
}

impl<'n, 'a> Parts<'n, 'a> {
    fn of(net: &'n Net<'a>) -> Self {
        let graphs = 1 + net.drafts.len() + net.regions.len();
        let mut parts = Self {
            net,
            members: vec![Vec::new(); graphs],
            edges: vec![Vec::new(); graphs],
            node_index: vec![0; net.drafts.len()],
            region_index: vec![usize::MAX; net.regions.len()],
        };
        for node in 0..net.drafts.len() {
            parts.place(node);
        }
        for edge in 0..net.edges.len() {
            parts.connect(edge);
        }
        parts
    }

    fn place(&mut self, node: usize) {
        let net = self.net;
        let chain = net.chain(node);
        // A region is a member where its first node is declared.
        for region in chain.iter().rev().copied() {
            if self.region_index[region] == usize::MAX {
                self.region_index[region] = self.add(net.around(region), Item::Region(region));
            }
        }
        let graph = match chain.first() {
            Some(region) => net.region_graph(*region),
            None => Net::body_graph(net.parent[node]),
        };
        self.node_index[node] = self.add(graph, Item::Node(node));
    }

    fn add(&mut self, graph: usize, item: Item) -> usize {
        self.members[graph].push(item);
        self.members[graph].len() - 1
    }

    fn connect(&mut self, index: usize) {
        let net = self.net;
        let edge = &net.edges[index];
        if edge.jumps.is_some() {
            return;
        }
        let crossed = net.crossed(edge);
        let graph = match crossed.around {
            Some(region) => net.region_graph(region),
            None => Net::body_graph(net.parent[edge.from]),
        };
        let member = |regions: &[usize], node: usize| match regions.last() {
            Some(region) => self.region_index[*region],
            None => self.node_index[node],
        };
        let edge = Edge {
            from: member(&crossed.left, edge.from),
            to: member(&crossed.entered, edge.to),
            on: edge.on,
            when: edge.when.clone(),
        };
        self.edges[graph].push(edge);
    }
}

struct Builder<'n, 'a, 'd> {
    net: &'n Net<'a>,
    drafts: Vec<Option<Draft<'d>>>,
    members: Vec<Vec<Item>>,
    edges: Vec<Vec<Edge>>,
    node_index: Vec<usize>,
    region_index: Vec<usize>,
}

impl Builder<'_, '_, '_> {
    /// Graphs are nested within limits that were checked.
    fn graph(&mut self, graph: usize) -> Graph {
        let items = std::mem::take(&mut self.members[graph]);
        Graph {
            edges: std::mem::take(&mut self.edges[graph]),
            members: items
                .into_iter()
                .filter_map(|item| self.member(item))
                .collect(),
        }
    }

    fn member(&mut self, item: Item) -> Option<Member> {
        Some(match item {
            Item::Node(node) => Member::Node(Box::new(self.node(node)?)),
            Item::Region(region) => Member::Repeat(Box::new(self.repeat(region))),
        })
    }

    fn node(&mut self, node: usize) -> Option<Node> {
        let draft = self.drafts[node].take()?;
        let mut work = draft.work?;
        if let Work::Foreach { body, .. } | Work::Loop { body, .. } = &mut work {
            *body = self.graph(Net::body_graph(Some(node)));
        }
        Some(Node {
            id: draft.id.text.to_owned(),
            type_name: draft.type_name.to_owned(),
            work,
            config: draft.config,
            when: draft.when,
            policy: draft.policy,
        })
    }

    fn repeat(&mut self, region: usize) -> Repeat {
        let jump = &self.net.edges[self.net.regions[region].edge];
        let id = |node: usize| self.drafts[node].as_ref().map_or("", |draft| draft.id.text);
        let id = format!("{}..{}", id(jump.to), id(jump.from));
        Repeat {
            id,
            target: self.index_within(region, jump.to),
            source: self.index_within(region, jump.from),
            max_iterations: jump.jumps.unwrap_or(1),
            on: jump.on,
            when: jump.when.clone(),
            graph: self.graph(self.net.region_graph(region)),
        }
    }

    /// The member of a region's graph that a node is, or is in.
    fn index_within(&self, region: usize, node: usize) -> usize {
        let chain = self.net.chain(node);
        let inner = chain.iter().take_while(|other| **other != region).last();
        inner.map_or(self.node_index[node], |inner| self.region_index[*inner])
    }
}
