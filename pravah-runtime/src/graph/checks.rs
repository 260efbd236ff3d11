//! Looks for mistakes in a graph that was put together at run time.

use std::{
    any::type_name,
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use pravah_graph::{Finding, Net, NodeId, Place};
use schemars::JsonSchema;

use super::{FlowGraph, Name, NodeKind, NodeSpec, problems::Problem, wiring::Port};
use crate::{node::Policy, topology::ShapeKind};

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

/// Policies that cannot be obeyed.
pub(super) fn policies(nodes: &[NodeSpec]) -> impl Iterator<Item = Problem> {
    nodes.iter().flat_map(|node| {
        let problems = node.policy.problems().into_iter();
        let problems = problems.map(|problem| Problem::Policy {
            node: node.id.clone(),
            problem,
        });
        problems.chain(long_call(node))
    })
}

/// An agent whose model has more time for one call than the agent has for all.
fn long_call(node: &NodeSpec) -> Option<Problem> {
    let NodeKind::Agent(agent) = &node.kind else {
        return None;
    };
    let call = agent.spec.config.options.timeout?;
    let Policy {
        timeout,
        total_timeout,
        ..
    } = node.policy;
    let problem = "one call of its model may take longer than all of them together: `ModelOptions::timeout` \
                   is longer than its policy allows";
    (call > timeout.or(total_timeout)?).then(|| Problem::Agent {
        node: node.id.clone(),
        problem: problem.to_owned(),
    })
}

/// What a node returns, also where it fails.
fn outputs(node: &NodeSpec) -> impl Iterator<Item = &Name> {
    node.outputs
        .iter()
        .chain(node.catch.iter().map(|catch| &catch.name))
}

fn produced(nodes: &[NodeSpec], name: &Name) -> bool {
    nodes
        .iter()
        .any(|node| outputs(node).any(|output| output == name))
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
                takes: node.params.iter().flatten().cloned().collect(),
            });
        }
    }
    entry
}

/// The state that ends the graph: the one that is produced and never consumed.
pub(super) fn output(nodes: &[NodeSpec], problems: &mut Vec<Problem>) -> Name {
    let consumed = |name: &Name| nodes.iter().any(|node| takes(node, name));
    let mut ends: Vec<Name> = Vec::new();
    for name in nodes
        .iter()
        .flat_map(outputs)
        .filter(|name| !consumed(name))
    {
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

/// States that two parameters take: the builder leads a state to the one that takes its type.
pub(super) fn consumers(nodes: &[NodeSpec]) -> Vec<Problem> {
    let mut taken_by: BTreeMap<&Name, &NodeSpec> = BTreeMap::new();
    let taken = nodes
        .iter()
        .flat_map(|node| node.params.iter().flatten().map(move |state| (state, node)));
    let clashes = taken.filter_map(|(state, node)| {
        let other = taken_by.insert(state, node)?;
        Some(taken_twice(state.clone(), other, node))
    });
    clashes.collect()
}

fn taken_twice(state: Name, first: &NodeSpec, second: &NodeSpec) -> Problem {
    if std::ptr::eq(first, second) {
        return Problem::SameState {
            state,
            node: second.id.clone(),
        };
    }
    let nodes = [first, second].map(|node| (node.id.clone(), node.outputs.clone()));
    Problem::TwoConsumers {
        state,
        nodes: Box::new(nodes),
    }
}

/// States that no node takes and that do not end the flow.
pub(super) fn dead_ends(nodes: &[NodeSpec], output: &Name) -> Vec<Problem> {
    let returned = nodes
        .iter()
        .flat_map(|node| node.outputs.iter().map(move |state| (state, node)));
    let untaken = returned
        .filter(|(state, _)| *state != output && !nodes.iter().any(|node| takes(node, state)));
    let problem = |(state, node): (&Name, &NodeSpec)| Problem::NotConsumed {
        state: state.clone(),
        node: node.id.clone(),
    };
    untaken.map(problem).collect()
}

/// Adds what linking found, and takes out what another problem says already: that states lead nowhere where there
/// are several ends, and that nodes are called alike which take one state.
pub(super) fn add_linked(problems: &mut Vec<Problem>, linked: Vec<Problem>) {
    let several_ends = problems
        .iter()
        .any(|problem| matches!(problem, Problem::SeveralEnds { .. }));
    problems.retain(|problem| !(several_ends && matches!(problem, Problem::NotConsumed { .. })));
    for problem in linked {
        let takes_one_state = |other: &Problem| match (other, &problem) {
            (Problem::TwoConsumers { state, .. }, Problem::TwoNodes { id }) => state == id,
            _ => false,
        };
        if !problems.iter().any(takes_one_state) {
            problems.push(problem);
        }
    }
}

/// Nodes that no arc leads to, or that no arcs lead out of: what can be said of a graph whose parts do
/// not fit together. A state that comes from nowhere, or ends nowhere, has been reported.
pub(super) fn islands(nodes: &[NodeSpec]) -> Vec<Problem> {
    let takers = |name: &Name| indices_where(nodes, |node| takes(node, name));
    let next: Vec<Vec<usize>> = nodes
        .iter()
        .map(|node| outputs(node).flat_map(takers).collect())
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
    let ends = |node: &NodeSpec| outputs(node).any(|name| takers(name).is_empty());
    let mut from = indices_where(nodes, starts);
    if from.is_empty() {
        from.push(0);
    }
    let reached = reach(from, &next);
    let to = indices_where(nodes, ends);
    let ending = if to.is_empty() {
        (0..nodes.len()).collect()
    } else {
        reach(to, &back)
    };
    let findings = (0..nodes.len()).flat_map(|index| {
        let node = NodeId(index);
        let unreachable = (!reached.contains(&index)).then_some(Finding::Unreachable { node });
        let no_way = (!ending.contains(&index)).then_some(Finding::NoWayToDone { node });
        [unreachable, no_way].into_iter().flatten()
    });
    let net = Net::new();
    findings
        .map(|finding| Problem::of_finding(&finding, &net, nodes))
        .collect()
}

fn indices_where(nodes: &[NodeSpec], is_meant: impl Fn(&NodeSpec) -> bool) -> Vec<usize> {
    let nodes = nodes.iter().enumerate();
    nodes
        .filter(|(_, node)| is_meant(node))
        .map(|(index, _)| index)
        .collect()
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
    for spec in specs.iter() {
        net.add_node(spec.params.len());
    }
    let places = |ports: &[Port]| -> Vec<Place> {
        let slot = |port: &Port| Place::Slot {
            node: NodeId(port.node),
            slot: port.param,
        };
        match ports.is_empty() {
            true => vec![Place::Done],
            false => ports.iter().map(slot).collect(),
        }
    };
    for (index, (spec, wiring)) in specs.iter().zip(&specs.wiring.nodes).enumerate() {
        let node = NodeId(index);
        let mut outputs = wiring.outputs.iter().map(|ports| places(ports));
        match spec.shape {
            ShapeKind::Choice => outputs.for_each(|places| {
                net.add_outcome(node, places);
            }),
            ShapeKind::One | ShapeKind::Fork => {
                net.add_outcome(node, outputs.by_ref().flatten().collect());
            }
        }
        if spec.catch.is_some() {
            net.add_outcome(node, places(&wiring.catch));
        }
    }
    let entry = places(&specs.wiring.entry);
    net.set_entry(entry.first().copied().unwrap_or(Place::Done));
    let findings = net.check();
    let findings = findings.iter();
    findings
        .map(|finding| Problem::of_finding(finding, &net, specs))
        .collect()
}

/// A state at an end of a flow.
pub(crate) struct End {
    state: Cow<'static, str>,
    ty: &'static str,
}

impl End {
    pub(crate) fn of<S: JsonSchema>() -> Self {
        Self {
            state: S::schema_name(),
            ty: type_name::<S>(),
        }
    }
}

/// A graph has to start and end with the types of the flow it is for.
pub(crate) fn ends_fit(graph: &FlowGraph, [input, output]: [End; 2]) -> Vec<Problem> {
    let ends = [&input, &output].into_iter();
    let mut problems: Vec<Problem> = ends
        .filter_map(|End { state, ty }| {
            let ty = *ty;
            let known = graph.types.get(&**state).filter(|known| **known != ty)?;
            Some(Problem::TwoTypes {
                state: state.clone(),
                types: [known, ty],
            })
        })
        .collect();
    let (input, output) = (input.state, output.state);
    if graph.input() != &*input {
        problems.push(Problem::Unsound {
            what: format!("the graph of `{input}` starts with `{}`", graph.input()),
        });
    }
    if graph.output() != &*output {
        problems.push(Problem::Unsound {
            what: format!(
                "the graph of `{input}` ends with `{}`, and its output is `{output}`",
                graph.output()
            ),
        });
    }
    problems
}
