//! Random documents.

use std::collections::BTreeSet;

use pravah_document::{Document, Edge, Graph, Member, Selector, When, Work};
use serde_json::{Value, json};

use super::dice::Dice;

/// The type of the nodes that do some work, fail, and take their time.
pub(super) const WORK: &str = "test.work";

/// What documents have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kinds {
    /// Merges that take the first edge: what comes of them depends on the order.
    pub(super) first: bool,
    /// Whether conditions and inputs name only the nodes that the edges come from.
    pub(super) names_sources: bool,
}

/// A document, with those that it runs as subflows.
#[derive(Clone, Debug)]
pub(super) struct Drawn {
    pub(super) document: Document,
    pub(super) subflows: Vec<Document>,
}

pub(super) fn draw(seed: u64, size: usize, kinds: Kinds) -> Drawn {
    let mut drawer = Drawer {
        dice: Dice::new(seed),
        kinds,
        ids: 0,
        subflows: Vec::new(),
    };
    let scope = Scope {
        names: vec!["flow.input.n".to_owned()],
        depth: 0,
    };
    let graph = drawer.graph(size, &scope, false);
    let document = drawer.document("random", graph.graph);
    Drawn {
        document,
        subflows: drawer.subflows,
    }
}

/// What can be named.
#[derive(Clone)]
pub(super) struct Scope {
    pub(super) names: Vec<String>,
    pub(super) depth: usize,
}

impl Scope {
    pub(super) fn inner(&self, names: &[&str]) -> Self {
        let own = names.iter().map(|name| (*name).to_owned());
        Self {
            names: self.names.iter().cloned().chain(own).collect(),
            depth: self.depth + 1,
        }
    }
}

/// A graph, with the ids of its first and its last node before they were put into another order.
pub(super) struct DrawnGraph {
    pub(super) graph: Graph,
    pub(super) first: usize,
    pub(super) last: usize,
}

pub(super) struct Drawer {
    pub(super) dice: Dice,
    pub(super) kinds: Kinds,
    ids: usize,
    pub(super) subflows: Vec<Document>,
}

impl Drawer {
    pub(super) fn document(&mut self, name: &str, graph: Graph) -> Document {
        Document {
            name: name.to_owned(),
            version: "1".to_owned(),
            description: None,
            input: json!({ "n": self.dice.roll(4) }),
            fail_fast: self.dice.is(1, 2),
            warnings: None,
            graph,
        }
    }

    pub(super) fn id(&mut self) -> String {
        self.ids += 1;
        format!("n{}", self.ids)
    }

    /// A graph; where it is a region, every node is on a way from the first to the last.
    pub(super) fn graph(&mut self, size: usize, scope: &Scope, is_region: bool) -> DrawnGraph {
        let sources = self.sources(size, is_region);
        let mut ancestors: Vec<BTreeSet<usize>> = Vec::new();
        let mut members: Vec<Member> = Vec::new();
        let mut edges = Vec::new();
        for (index, sources) in sources.iter().enumerate() {
            let mut before: BTreeSet<usize> = sources.iter().copied().collect();
            if !self.kinds.names_sources {
                before.extend(sources.iter().flat_map(|source| &ancestors[*source]));
            }
            let known = named(scope, before.iter().map(|before| &members[*before]));
            let member = self.member(&known, sources.len());
            for source in sources {
                let mut before = BTreeSet::from([*source]);
                if !self.kinds.names_sources {
                    before.extend(&ancestors[*source]);
                }
                let known = named(scope, before.iter().map(|before| &members[*before]));
                // Two edges between the same nodes may be for other outcomes.
                for _ in 0..=u8::from(self.dice.is(1, 8)) {
                    edges.push(self.edge((*source, index), &members[*source], &known));
                }
            }
            ancestors.push(before);
            members.push(member);
        }
        self.in_any_order(members, edges)
    }

    /// From which of those before it edges lead to each member.
    fn sources(&mut self, size: usize, is_region: bool) -> Vec<Vec<usize>> {
        let mut sources: Vec<Vec<usize>> = (0..size)
            .map(|index| {
                (0..index)
                    .filter(|_| self.dice.is(2, size as u64))
                    .collect()
            })
            .collect();
        if is_region {
            for (index, sources) in sources.iter_mut().enumerate().skip(1) {
                if sources.is_empty() {
                    sources.push(self.dice.below(index));
                }
            }
            for index in 0..size - 1 {
                let leads_on = sources.iter().any(|sources| sources.contains(&index));
                if !leads_on {
                    sources[size - 1].push(index);
                }
            }
        }
        sources
    }

    /// Declares the members in another order than that of their edges.
    fn in_any_order(&mut self, members: Vec<Member>, mut edges: Vec<Edge>) -> DrawnGraph {
        let mut order: Vec<usize> = (0..members.len()).collect();
        self.dice.shuffle(&mut order);
        self.dice.shuffle(&mut edges);
        let place = |member: usize| {
            order
                .iter()
                .position(|it| *it == member)
                .unwrap_or_default()
        };
        for edge in &mut edges {
            (edge.from, edge.to) = (place(edge.from), place(edge.to));
        }
        let (first, last) = (place(0), place(members.len().saturating_sub(1)));
        let graph = Graph {
            members: order.iter().map(|index| members[*index].clone()).collect(),
            edges,
        };
        DrawnGraph { graph, first, last }
    }

    fn edge(&mut self, (from, to): (usize, usize), source: &Member, scope: &Scope) -> Edge {
        let usual = match source {
            Member::Node(node) if node.policy.continue_on_error => Selector::Any,
            _ => Selector::Success,
        };
        let on = match self.dice.roll(8) {
            0 => Selector::Failure,
            1 => Selector::Any,
            _ => usual,
        };
        let when = match self.route_of(source) {
            Some(when) => Some(when),
            None => self.dice.is(1, 4).then(|| self.when(scope)),
        };
        Edge { from, to, on, when }
    }

    /// A condition on what a switch, or an `if`, has chosen.
    fn route_of(&mut self, source: &Member) -> Option<When> {
        let Member::Node(node) = source else {
            return None;
        };
        let (field, value) = match node.work {
            Work::If(_) => ("condition", json!(self.dice.is(1, 2))),
            Work::Switch { .. } => {
                let routes = ["low", "high", "default"];
                ("route", json!(self.dice.one_of(&routes)))
            }
            _ => return None,
        };
        let var = format!("{}.{field}", node.id);
        Some(parsed(&json!({ "equals": { "var": var, "value": value } })))
    }

    pub(super) fn when(&mut self, scope: &Scope) -> When {
        let var = self.variable(scope);
        let value = self.dice.roll(4);
        let condition = match self.dice.roll(5) {
            0 => json!({ "equals": { "var": var, "value": value } }),
            1 => json!({ "not": { "equals": { "var": var, "value": value } } }),
            2 => json!({ "gte": { "var": var, "value": value } }),
            3 => json!({ "not": { "gte": { "var": var, "value": value } } }),
            _ => json!({ "not": { "exists": { "var": var } } }),
        };
        parsed(&condition)
    }

    /// Something that can be named.
    pub(super) fn variable(&mut self, scope: &Scope) -> String {
        let name = self.dice.one_of(&scope.names).cloned().unwrap_or_default();
        if !name.starts_with('n') {
            return name;
        }
        match self.dice.roll(6) {
            0 => format!("{name}.failed"),
            1 => format!("{name}.skipped"),
            _ => format!("{name}.v"),
        }
    }
}

fn named<'a>(scope: &Scope, members: impl IntoIterator<Item = &'a Member>) -> Scope {
    let mut scope = scope.clone();
    scope.names.extend(members.into_iter().flat_map(ids));
    scope
}

/// The ids of the nodes that a member is.
pub(super) fn ids(member: &Member) -> Vec<String> {
    match member {
        Member::Node(node) => vec![node.id.clone()],
        Member::Repeat(repeat) => repeat.graph.members.iter().flat_map(ids).collect(),
    }
}

/// The id of the node whose outcome the edges out of a member are for.
pub(super) fn last_id(member: &Member) -> &str {
    match member {
        Member::Node(node) => &node.id,
        Member::Repeat(repeat) => last_id(&repeat.graph.members[repeat.source]),
    }
}

pub(super) fn parsed(condition: &Value) -> When {
    When::parse(condition).unwrap()
}
