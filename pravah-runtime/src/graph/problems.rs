//! What can be wrong with a graph that was put together at run time.

use std::collections::{BTreeMap, BTreeSet};

use pravah_graph::{Finding, Firing, Net, NodeId, Place};

use super::FlowGraph;
use crate::{
    node::{Name, NodeKind, NodeSpec, ShapeKind},
    quoted::quoted,
};

/// One mistake in a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    NoNodes,
    SeveralEnds {
        ends: Vec<Name>,
    },
    NoEnd,
    /// The nodes, with what they give.
    TwoConsumers {
        state: Name,
        nodes: Box<[(Name, Vec<Name>); 2]>,
    },
    TwoTypes {
        state: Name,
        types: [&'static str; 2],
    },
    TwoNodes {
        id: Name,
    },
    NotProduced {
        state: Name,
        node: Name,
    },
    NotConsumed {
        state: Name,
        node: Name,
    },
    GivesItsInput {
        state: Name,
        node: Name,
    },
    SameState {
        state: Name,
        node: Name,
    },
    GivesTwice {
        state: Name,
        node: Name,
    },
    Agent {
        node: Name,
        problem: String,
    },
    /// What nobody catches would be lost.
    Uncaught {
        node: Name,
        state: Name,
    },
    Broken {
        node: Name,
        why: String,
    },
    Unreachable {
        node: Name,
    },
    NoWayToDone {
        node: Name,
    },
    Unsound {
        what: String,
    },
}

impl Problem {
    /// Whether the net is whole all the same, so that its soundness can be asked for.
    pub(super) fn leaves_the_net(&self) -> bool {
        matches!(
            self,
            Self::TwoTypes { .. }
                | Self::Agent { .. }
                | Self::Uncaught { .. }
                | Self::Broken { .. }
        )
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoNodes => f.write_str("the graph has no nodes"),
            Self::SeveralEnds { ends } => write!(
                f,
                "the states {} are produced and never consumed: a flow ends in one state",
                quoted(ends)
            ),
            Self::NoEnd => {
                f.write_str("every state that is produced is consumed: the flow never ends")
            }
            Self::TwoConsumers { state, nodes } => {
                let [one, other] = nodes.each_ref().map(|(id, gives)| match id == state {
                    true => format!("the node that returns {}", quoted(gives)),
                    false => format!("`{id}`"),
                });
                write!(f, "`{state}` has two consumers: {one} and {other}")
            }
            Self::TwoTypes {
                state,
                types: [one, other],
            } => {
                write!(f, "two types are called `{state}`: `{one}` and `{other}`")
            }
            Self::TwoNodes { id } => write!(f, "two nodes are called `{id}`"),
            Self::NotProduced { state, node } => {
                write!(f, "`{node}` takes `{state}`, which nothing produces")
            }
            Self::NotConsumed { state, node } => {
                write!(f, "`{node}` gives `{state}`, which nothing takes")
            }
            Self::GivesItsInput { state, node } => {
                write!(
                    f,
                    "the join of `{node}` gives `{state}`, which it also takes"
                )
            }
            Self::SameState { state, node } => {
                write!(f, "`{node}` takes `{state}` twice")
            }
            Self::GivesTwice { state, node } => {
                write!(
                    f,
                    "`{node}` gives `{state}` twice: its ways must be different states"
                )
            }
            Self::Agent { node, problem } => write!(f, "agent `{node}`: {problem}"),
            Self::Uncaught { node, state } => write!(
                f,
                "agent `{node}` has a contract, and nothing takes `Failure<{state}>`: what it \
                 suppresses and what a person rejects would be lost"
            ),
            Self::Broken { node, why } => write!(f, "`{node}` cannot run: {why}"),
            Self::Unreachable { node } => write!(f, "no run reaches `{node}`"),
            Self::NoWayToDone { node } => write!(f, "from `{node}` the flow cannot end"),
            Self::Unsound { what } => f.write_str(what),
        }
    }
}

/// A finding of the soundness checker in the words of the graph, whose nodes are `ids`.
pub(super) fn from_finding(finding: &Finding, ids: &[Name]) -> Problem {
    let id = |node: NodeId| ids.get(node.0).cloned().unwrap_or_default();
    let run = |run: &[Firing]| {
        let ids: Vec<_> = run.iter().map(|firing| id(firing.node)).collect();
        if ids.is_empty() {
            "at the start".to_owned()
        } else {
            format!("after {}", quoted(&ids))
        }
    };
    let places = |marked: &[Place]| {
        let mut ids: Vec<Name> = marked
            .iter()
            .map(|place| match place {
                Place::Slot { node, .. } => id(*node),
                Place::Done => "done".into(),
            })
            .collect();
        ids.dedup();
        quoted(&ids)
    };
    match finding {
        Finding::Unreachable { node } => Problem::Unreachable { node: id(*node) },
        Finding::NoWayToDone { node } => Problem::NoWayToDone { node: id(*node) },
        Finding::Deadlock {
            run: firings,
            marked,
        } => Problem::Unsound {
            what: format!(
                "the flow gets stuck {}: {} wait for states that never come",
                run(firings),
                places(marked)
            ),
        },
        Finding::LeftBehind {
            run: firings,
            remaining,
        } => Problem::Unsound {
            what: format!(
                "{} the flow ends while {} still has work: fork branches must meet in a join",
                run(firings),
                places(remaining)
            ),
        },
        Finding::Overwritten {
            run: firings,
            place,
        } => Problem::Unsound {
            what: format!(
                "{} a state that waits for {} is overwritten",
                run(firings),
                places(&[*place])
            ),
        },
        other => Problem::Unsound {
            what: format!("the flow is not sound: {other:?}"),
        },
    }
}

/// Agents whose answers may be suppressed or rejected, with no node to go on.
pub(super) fn uncaught(nodes: &[NodeSpec]) -> impl Iterator<Item = Problem> {
    nodes.iter().filter_map(|node| match &node.kind {
        NodeKind::Agent(agent) if agent.spec.config.contract.is_some() && node.catch.is_none() => {
            let state = node.params.iter().flatten().next()?.clone();
            let node = node.id.clone();
            Some(Problem::Uncaught { node, state })
        }
        _ => None,
    })
}

/// What a node gives, if it fails as well.
fn given(node: &NodeSpec) -> impl Iterator<Item = &Name> {
    node.gives
        .iter()
        .chain(node.catch.iter().map(|catch| &catch.name))
}

fn produced(nodes: &[NodeSpec], name: &Name) -> bool {
    nodes
        .iter()
        .any(|node| given(node).any(|given| given == name))
}

/// The state that starts the graph: the one that is consumed and never produced, else the first
/// node's.
pub(super) fn entry(nodes: &[NodeSpec], problems: &mut Vec<Problem>) -> Name {
    let mut open = nodes
        .iter()
        .flat_map(|node| node.params.iter().flatten().map(move |name| (name, node)))
        .filter(|(name, _)| !produced(nodes, name));
    let first = nodes
        .first()
        .and_then(|node| node.params.first()?.first().cloned());
    let Some(first) = first else {
        problems.push(Problem::NoNodes);
        return Name::default();
    };
    let Some((entry, _)) = open.next() else {
        return first;
    };
    let others: Vec<_> = open.filter(|(name, _)| *name != entry).collect();
    if others.is_empty() {
        return entry.clone();
    }
    // Several states come from nowhere: the first node's starts the flow, the others are missing.
    let entry = if produced(nodes, &first) {
        entry.clone()
    } else {
        first
    };
    for (state, node) in nodes
        .iter()
        .flat_map(|node| node.params.iter().flatten().map(move |name| (name, node)))
    {
        if *state != entry && !produced(nodes, state) {
            problems.push(Problem::NotProduced {
                state: state.clone(),
                node: node.id.clone(),
            });
        }
    }
    entry
}

/// The state that ends the graph: the one that is produced and never consumed.
pub(super) fn output(nodes: &[NodeSpec], problems: &mut Vec<Problem>) -> Name {
    let consumed = |name: &Name| nodes.iter().any(|node| takes(node, name));
    let mut ends: Vec<Name> = Vec::new();
    for name in nodes.iter().flat_map(given).filter(|name| !consumed(name)) {
        if !ends.contains(name) {
            ends.push(name.clone());
        }
    }
    match ends.as_slice() {
        [end] => end.clone(),
        [] => {
            if !nodes.is_empty() {
                problems.push(Problem::NoEnd);
            }
            Name::default()
        }
        [first, ..] => {
            let first = first.clone();
            problems.push(Problem::SeveralEnds { ends });
            first
        }
    }
}

/// Nodes that no arc leads to, or that no arcs lead out of: what can be said of a graph whose parts do
/// not fit together. A state that comes from nowhere, or ends nowhere, has been reported.
pub(super) fn islands(nodes: &[NodeSpec]) -> Vec<Problem> {
    let takers = |name: &Name| {
        nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| takes(node, name))
            .map(|(ix, _)| ix)
            .collect::<Vec<_>>()
    };
    let next: Vec<Vec<usize>> = nodes
        .iter()
        .map(|node| given(node).flat_map(takers).collect())
        .collect();
    let mut back = vec![Vec::new(); nodes.len()];
    for (from, next) in next.iter().enumerate() {
        for &to in next {
            back.get_mut(to)
                .into_iter()
                .for_each(|back| back.push(from));
        }
    }
    let starts = |node: &NodeSpec| {
        node.params
            .iter()
            .flatten()
            .any(|name| !produced(nodes, name))
    };
    let ends = |node: &NodeSpec| given(node).any(|name| takers(name).is_empty());
    let find = |from: &dyn Fn(&NodeSpec) -> bool| {
        nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| from(node))
            .map(|(ix, _)| ix)
            .collect::<Vec<_>>()
    };
    let mut from = find(&starts);
    if from.is_empty() {
        from.push(0);
    }
    let reached = reach(from, &next);
    let to = find(&ends);
    let ending = if to.is_empty() {
        (0..nodes.len()).collect()
    } else {
        reach(to, &back)
    };
    let mut problems = Vec::new();
    for (ix, node) in nodes.iter().enumerate() {
        if !reached.contains(&ix) {
            problems.push(Problem::Unreachable {
                node: node.id.clone(),
            });
        }
        if !ending.contains(&ix) {
            problems.push(Problem::NoWayToDone {
                node: node.id.clone(),
            });
        }
    }
    problems
}

fn takes(node: &NodeSpec, name: &Name) -> bool {
    node.params.iter().flatten().any(|other| other == name)
}

fn reach(mut open: Vec<usize>, next: &[Vec<usize>]) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    while let Some(node) = open.pop() {
        if reached.insert(node) {
            open.extend(next.get(node).into_iter().flatten());
        }
    }
    reached
}

/// Whether the graph, put together from its states, is a sound workflow net.
pub(super) fn soundness(graph: &FlowGraph) -> Vec<Problem> {
    let specs = &graph.specs;
    let mut net = Net::new();
    let mut takers: BTreeMap<&str, Place> = BTreeMap::new();
    for spec in specs.iter() {
        let node = net.add_node(spec.params.len());
        for (slot, states) in spec.params.iter().enumerate() {
            for state in states {
                takers.insert(state, Place::Slot { node, slot });
            }
        }
    }
    let place = |name: &Name| takers.get(&**name).copied().unwrap_or(Place::Done);
    for (index, spec) in specs.iter().enumerate() {
        let node = NodeId(index);
        match spec.shape {
            ShapeKind::Choice => {
                for name in &spec.gives {
                    net.add_outcome(node, vec![place(name)]);
                }
            }
            ShapeKind::One | ShapeKind::Fork => {
                net.add_outcome(node, spec.gives.iter().map(place).collect());
            }
        }
        if let Some(catch) = &spec.catch {
            net.add_outcome(node, vec![place(&catch.name)]);
        }
    }
    net.set_entry(takers.get(graph.input()).copied().unwrap_or(Place::Done));
    let ids: Vec<Name> = specs.iter().map(|spec| spec.id.clone()).collect();
    net.check()
        .iter()
        .map(|finding| from_finding(finding, &ids))
        .collect()
}
