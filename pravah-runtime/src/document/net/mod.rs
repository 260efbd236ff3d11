//! From a document that was checked to a graph of the engine.
//!
//! Every node is a transition with a slot for each edge to it, and returns a token for each edge out of it. Two
//! transitions are in no document: the start, which keeps the input and lets the nodes run that no edge leads to,
//! and the end, which waits for all nodes that no edge leads out of.

mod losers;
mod members;
mod names;
mod policy;
mod roots;
mod size;
mod work;

use std::{collections::BTreeMap, sync::Arc};

use pravah_document::{Graph, Member, MergeMode, Repeat, Work};
use pravah_graph::{Fingerprint, FingerprintBuilder};

use super::{
    ends::{BodyOutput, DocumentOutput, EndRules, EndsWith, StartRules},
    outcome::{EdgeToken, Outcome},
    registry::NodeRegistry,
    scope::Names,
};
use crate::{
    error::FlowError,
    graph::{
        AssembledNode, AssembledOutput, Assembly, FlowGraph, KeptState, LatestIx, NodeKind,
        NodeRules, Rules,
    },
    node::Policy,
    state::StateType,
};

/// What the start and the end of a net are called; no node can be.
const START: &str = "(start)";
const END: &str = "(end)";

/// Makes graphs of documents.
pub(super) struct Builder<'a> {
    pub(super) registry: &'a NodeRegistry,
    pub(super) fail_fast: bool,
    /// The subflows around, so that none is within itself.
    pub(super) within: Vec<&'a str>,
    /// The ids of the nodes that run the subflows around, each with `::`: ids in errors, events and questions start with
    /// it.
    pub(super) prefix: String,
}

/// What a net is of.
#[derive(Clone, Copy)]
enum Frame<'a> {
    /// A document.
    Flow,
    Body(Body<'a>),
}

/// A body that runs for each item of a list, or in rounds.
#[derive(Clone, Copy)]
struct Body<'a> {
    /// What runs it.
    region: &'a str,
    /// What it can name of its item, or its round.
    names: &'a [&'a str],
    /// Whether a round may read what the one before it has left.
    has_rounds: bool,
    /// The last member of what a loop edge repeats.
    last: Option<LastMember>,
}

/// The last member of what a loop edge repeats.
#[derive(Clone, Copy)]
struct LastMember {
    member: usize,
    /// Whether a failure of it may be handled by the loop edge, or by what is around it.
    may_be_handled: bool,
}

/// The net that a body is in.
#[derive(Clone, Copy)]
struct Outer<'a> {
    names: &'a Names,
    latest: &'a [KeptState],
    /// The places of `latest` by their keys.
    keys: &'a BTreeMap<String, LatestIx>,
}

/// The states that a body takes over when it starts: their places outside and inside.
type Captures = Vec<(LatestIx, LatestIx)>;

/// A net that was made.
struct Net {
    graph: FlowGraph,
    captures: Captures,
    end: EndRules,
}

/// A net that is being made.
struct NetBuilder<'a, 'b> {
    builder: &'b Builder<'a>,
    graph: &'b Graph,
    names: Names,
    latest: Vec<KeptState>,
    keys: BTreeMap<String, LatestIx>,
    /// For each member whether it runs as soon as one edge to it fires.
    takes_first: Vec<bool>,
    /// The member whose failure the net around this one may handle.
    last: Option<LastMember>,
    members: Vec<Transitions>,
    /// The merges that cancel a member, by their numbers.
    cancelled_by: Vec<Vec<usize>>,
    /// The members that a merge cancels, by its number.
    losers: BTreeMap<usize, Vec<usize>>,
    nodes: Vec<AssembledNode>,
    fingerprint: FingerprintBuilder,
}

/// The transitions of a member. A merge that takes the first edge has two: its edges end at one, and it emits from the
/// other.
#[derive(Clone, Copy)]
struct Transitions {
    takes: usize,
    emits: usize,
}

impl Builder<'_> {
    /// The graph of a document, and what it ends with.
    pub(super) fn flow(&self, graph: &Graph) -> Result<(FlowGraph, EndRules), FlowError> {
        if self.within.is_empty() {
            size::check(graph, self.registry)?;
        }
        let net = self.net(graph, Frame::Flow, None)?;
        Ok((net.graph, net.end))
    }

    /// What a node is called in errors, events and questions.
    fn full_id(&self, id: &str) -> String {
        format!("{}{id}", self.prefix)
    }

    fn net(
        &self,
        graph: &Graph,
        frame: Frame<'_>,
        outer: Option<Outer<'_>>,
    ) -> Result<Net, FlowError> {
        let mut net = NetBuilder {
            builder: self,
            graph,
            names: Names::default(),
            latest: Vec::new(),
            keys: BTreeMap::new(),
            takes_first: takes_first(graph),
            last: match frame {
                Frame::Flow => None,
                Frame::Body(body) => body.last,
            },
            members: Vec::with_capacity(graph.members.len()),
            cancelled_by: vec![Vec::new(); graph.members.len()],
            losers: BTreeMap::new(),
            nodes: Vec::with_capacity(graph.members.len() + 2),
            fingerprint: Fingerprint::builder(),
        };
        let (start, captures) = net.name_all(frame, outer);
        net.number_members();
        net.find_losers()?;
        net.add_start(start);
        net.add_members()?;
        let end = net.add_end(frame, start);
        Ok(Net {
            graph: net.assemble(frame),
            captures,
            end,
        })
    }
}

fn outcome_type() -> StateType {
    StateType::of::<Outcome>()
}

fn token_type() -> StateType {
    StateType::of::<EdgeToken>()
}

/// For each member whether it runs as soon as one edge to it fires: a merge, unless no edge leads to it.
fn takes_first(graph: &Graph) -> Vec<bool> {
    let mut takes_first = vec![false; graph.members.len()];
    for edge in &graph.edges {
        if let Some(Member::Node(node)) = graph.members.get(edge.to)
            && let Work::Merge { mode, .. } = node.work
            && let Some(takes_first) = takes_first.get_mut(edge.to)
        {
            *takes_first = mode == MergeMode::Any;
        }
    }
    takes_first
}

fn id(member: &Member) -> &str {
    match member {
        Member::Node(node) => &node.id,
        Member::Repeat(repeat) => &repeat.id,
    }
}

/// The first and the last node of what a loop edge repeats: regions within it may start and end with the same.
fn ends(repeat: &Repeat) -> [&str; 2] {
    let member = |index: usize| repeat.graph.members.get(index);
    let first = member(repeat.target).map_or("", |member| match member {
        Member::Node(node) => &*node.id,
        Member::Repeat(repeat) => ends(repeat)[0],
    });
    let last = member(repeat.source).map_or("", |member| match member {
        Member::Node(node) => &*node.id,
        Member::Repeat(repeat) => ends(repeat)[1],
    });
    [first, last]
}

impl NetBuilder<'_, '_> {
    /// Numbers the transitions: the start is the first, the end the last.
    fn number_members(&mut self) {
        let mut next = 1;
        for takes_first in &self.takes_first {
            let takes = next;
            let emits = takes + usize::from(*takes_first);
            next = emits + 1;
            self.members.push(Transitions { takes, emits });
        }
    }

    fn end(&self) -> usize {
        self.members.last().map_or(1, |last| last.emits + 1)
    }

    /// The edges that the start and the end have in place of those that are missing: from the start to members that no
    /// edge leads to, and to merges that take the first edge; from members that no edge leads out of to the end.
    fn roots(&self) -> Vec<usize> {
        let mut has_edge = vec![false; self.graph.members.len()];
        for edge in &self.graph.edges {
            if let Some(has_edge) = has_edge.get_mut(edge.to) {
                *has_edge = true;
            }
        }
        let members = self.takes_first.iter().zip(has_edge).enumerate();
        members
            .filter(|(_, (takes_first, has_edge))| !has_edge || **takes_first)
            .map(|(index, _)| index)
            .collect()
    }

    fn add_start(&mut self, start: LatestIx) {
        let roots = self.roots();
        let kept = AssembledOutput::Kept {
            latest: start,
            type_of: outcome_type,
        };
        let edges: Vec<AssembledOutput> = match (roots.as_slice(), self.graph.members.is_empty()) {
            ([], true) => vec![AssembledOutput::To {
                node: self.end(),
                param: 0,
            }],
            (roots, _) => roots
                .iter()
                .filter_map(|root| {
                    let node = self.members.get(*root)?.emits;
                    Some(AssembledOutput::To { node, param: 0 })
                })
                .collect(),
        };
        let rules = Arc::new(StartRules { edges: edges.len() });
        self.nodes.push(AssembledNode {
            id: START.to_owned(),
            takes: vec![("(input)".to_owned(), outcome_type)],
            outputs: [kept].into_iter().chain(edges).collect(),
            kind: NodeKind::Broken("it does not run".into()),
            policy: Policy::new(),
            rules: plain(rules),
            captures: Vec::new(),
        });
    }

    fn add_end(&mut self, frame: Frame<'_>, start: LatestIx) -> EndRules {
        let members = self.graph.members.iter().zip(&self.takes_first);
        let mut takes: Vec<(String, fn() -> StateType)> = Vec::new();
        for ((member, takes_first), is_leaf) in members.zip(self.leaves()) {
            if *takes_first {
                takes.push((format!("{}(losers)->", id(member)), token_type));
            }
            if is_leaf {
                takes.push((format!("{}->", id(member)), token_type));
            }
        }
        if takes.is_empty() {
            takes.push(("->".to_owned(), token_type));
        }
        let keys = takes.iter().map(|(key, _)| &**key);
        self.fingerprint.transition("end", keys, []);
        let ids = roots::ids_in(self.graph);
        let nodes = ids
            .into_iter()
            .filter_map(|id| Some((Box::from(id), *self.keys.get(id)?)));
        let rules = EndRules {
            nodes: nodes.collect(),
            ends_with: match frame {
                Frame::Flow => EndsWith::Outputs,
                Frame::Body(_) => EndsWith::Outcomes(start),
            },
        };
        self.nodes.push(AssembledNode {
            id: END.to_owned(),
            takes,
            outputs: vec![AssembledOutput::End],
            kind: NodeKind::Function(Arc::new(rules.clone())),
            policy: Policy::new(),
            rules: plain(Arc::new(rules.clone())),
            captures: Vec::new(),
        });
        rules
    }

    /// For each member whether no edge leads out of it.
    fn leaves(&self) -> Vec<bool> {
        let mut is_leaf = vec![true; self.graph.members.len()];
        for edge in &self.graph.edges {
            if let Some(is_leaf) = is_leaf.get_mut(edge.from) {
                *is_leaf = false;
            }
        }
        is_leaf
    }

    fn assemble(self, frame: Frame<'_>) -> FlowGraph {
        let output: fn() -> StateType = match frame {
            Frame::Flow => StateType::of::<DocumentOutput>,
            Frame::Body(_) => StateType::of::<BodyOutput>,
        };
        FlowGraph::assemble(Assembly {
            input: ("(input)".to_owned(), outcome_type),
            output: ("(output)".to_owned(), output),
            nodes: self.nodes,
            latest: self.latest,
            fingerprint: self.fingerprint.finish(),
            // What a failure stops is said by the rules of its node.
            fail_fast: true,
        })
    }
}

/// Rules of a transition that has nothing to do with others.
fn plain(rules: Arc<dyn Rules>) -> NodeRules {
    NodeRules {
        rules,
        releases: None,
        is_held: false,
        cancels: Vec::new(),
    }
}
