//! The proof that a flow is a sound workflow net, and what it says where it is not.

use pravah_graph::{Finding, Firing, Net, NodeId, Place};
use proc_macro2::Span;

use super::{
    ast::GroupKind,
    graph::{From, Graph, NodeBody, Successor, To},
};
use crate::diag::Diagnostics;

/// Proves `graph` and the chains in it; each mistake is reported where it shows.
pub(crate) fn check(graph: &Graph, errors: &mut Diagnostics) {
    let findings = net(graph).check();
    let silent = errors.attempt(|errors| {
        for finding in &findings {
            explain(graph, finding, errors);
        }
    });
    if let (Some(()), Some(first), false) = (silent, graph.nodes.first(), findings.is_empty()) {
        errors.error(
            first.span,
            "not every run of this flow can end cleanly",
            "see that each fork's branches all meet in one `join`, and the branches of each choice come together",
        );
    }
    for node in &graph.nodes {
        if let NodeBody::Each { inner, .. } = &node.body {
            check(inner, errors);
        }
    }
}

/// Whether `graph` and the chains in it are sound, whatever was reported.
#[cfg(test)]
pub(super) fn is_sound(graph: &Graph) -> bool {
    let chains = graph.nodes.iter().all(|node| match &node.body {
        NodeBody::Each { inner, .. } => is_sound(inner),
        NodeBody::Node(_) => true,
    });
    chains && net(graph).check().is_empty()
}

fn net(graph: &Graph) -> Net {
    let mut net = Net::new();
    for node in &graph.nodes {
        net.add_node(node.slots.len().max(1));
    }
    for (index, node) in graph.nodes.iter().enumerate() {
        let id = NodeId(index);
        match &node.successor {
            Successor::End => {}
            Successor::One(arc) => {
                net.add_outcome(id, vec![place(graph, *arc)]);
            }
            Successor::Group(GroupKind::Either, _, arcs) => {
                for arc in arcs {
                    net.add_outcome(id, vec![place(graph, *arc)]);
                }
            }
            Successor::Group(GroupKind::Fork, _, arcs) => {
                net.add_outcome(id, arcs.iter().map(|arc| place(graph, *arc)).collect());
            }
        }
        if let Some(arc) = node.catch {
            net.add_outcome(id, vec![place(graph, arc)]);
        }
    }
    let entries = graph.inputs().into_iter();
    let entries: Vec<Place> = entries.map(|arc| place(graph, arc)).collect();
    match *entries {
        [entry] => net.set_entry(entry),
        _ => {
            // The branches that take the input follow a node of the net alone.
            let start = net.add_node(1);
            net.add_outcome(start, entries);
            net.set_entry(Place::Slot {
                node: start,
                slot: 0,
            });
        }
    }
    net
}

fn place(graph: &Graph, arc: usize) -> Place {
    match graph.arcs.get(arc).map(|arc| arc.to) {
        Some(To::Node(node)) => {
            let slots = graph
                .nodes
                .get(node)
                .map(|node| node.slots.as_slice())
                .unwrap_or_default();
            let slot = slots
                .iter()
                .position(|slot| slot.contains(&arc))
                .unwrap_or_default();
            Place::Slot {
                node: NodeId(node),
                slot,
            }
        }
        Some(To::Done) | None => Place::Done,
    }
}

fn explain(graph: &Graph, finding: &Finding, errors: &mut Diagnostics) {
    let name = |node: NodeId| graph.name(node.0);
    match finding {
        Finding::NoWayToDone { node } if is_start(graph, *node) => {}
        Finding::Unreachable { node } => {
            let name = name(*node);
            let others: Vec<String> = (0..graph.nodes.len())
                .map(|node| graph.name(node))
                .collect();
            let others: Vec<&str> = others
                .iter()
                .map(String::as_str)
                .filter(|other| *other != name)
                .collect();
            let near = crate::options::nearest(&name, &others)
                .filter(|near| strsim::damerau_levenshtein(&name, near) <= 2)
                .map(|near| format!("did you mean `{near}`? else "));
            errors.error(
                span(graph, *node),
                format!("no run reaches `{name}`"),
                format!(
                    "{}lead a branch to it, `… -> {name}`, or remove it",
                    near.unwrap_or_default()
                ),
            );
        }
        Finding::NoWayToDone { node } => errors.error(
            span(graph, *node),
            format!(
                "from `{}` no run can end: it goes round forever",
                name(*node)
            ),
            "let a node of the loop choose, and lead one of its ways out, such as to `done`",
        ),
        Finding::Deadlock { run, marked } => {
            let Some(node) = marked.iter().find_map(waiting) else {
                return;
            };
            let slots = graph.nodes.get(node.0).map_or(0, |node| node.slots.len());
            let there = marked
                .iter()
                .filter(|place| waiting(place) == Some(node))
                .count();
            errors.error(
                mark(graph, node),
                format!(
                    "`{0}` can wait forever: after the run {1}, {2} of the {3} branches that it joins never comes",
                    name(node),
                    text(graph, run),
                    slots.saturating_sub(there),
                    slots,
                ),
                format!(
                    "bring every branch to `{0}` in every run: where one of two comes, let `{0}` take `Either` of them, and carry a failure or an early end to the join as a state",
                    name(node)
                ),
            );
        }
        Finding::LeftBehind { run, remaining } => left_behind(graph, run, remaining, errors),
        Finding::Overwritten { run, place } => {
            let Some(node) = waiting(place) else { return };
            errors.error(
                mark(graph, node),
                format!(
                    "`{}` can be given a state while it still holds one: in the run {}",
                    name(node),
                    text(graph, run)
                ),
                "join the branches that can both be on their way before they lead there",
            );
        }
        Finding::Unsound { left } => {
            let mut left = left.iter().filter(|node| !is_start(graph, **node));
            let Some(node) = left.next() else { return };
            errors.error(
                span(graph, *node),
                format!("not every run that comes to `{}` can end cleanly", name(*node)),
                "see that each fork's branches all meet in one `join`, and the branches of each choice come together",
            );
        }
        _ => {}
    }
}

/// A run ended while a branch of a fork was still on its way.
fn left_behind(graph: &Graph, run: &[Firing], remaining: &[Place], errors: &mut Diagnostics) {
    // What ended the flow: for done marked twice, the last end.
    let end = run.iter().rev().find_map(|firing| {
        let mut arcs = outputs(graph, firing)
            .into_iter()
            .filter_map(|arc| graph.arcs.get(arc));
        Some((firing.node, arcs.find(|arc| arc.to == To::Done)?))
    });
    let Some((ending, arc)) = end else { return };
    let ending = match is_start(graph, ending) {
        true => "start".to_owned(),
        false => graph.name(ending.0),
    };
    let run = text(graph, run);
    if let Some((fork, other)) = graph.end_beside(arc) {
        let other = match other.from {
            From::Way(node, _) | From::Failure(node) => graph.name(node),
            From::Input => "start".to_owned(),
        };
        errors.error(
            fork,
            format!("the branches of this `fork` never join: `{ending}` and `{other}` both end the flow, as in the run {run}"),
            "join them: `fork(…) -> join(node)`, with a node that takes what each of them gives",
        );
        return;
    }
    let fact = match remaining.iter().find_map(waiting) {
        Some(node) => format!(
            "`{ending}` ends the flow while `{}` still holds a state: the run {run}",
            graph.name(node.0)
        ),
        None => format!("`{ending}` ends the flow a second time: the run {run}"),
    };
    errors.error(
        arc.span,
        fact,
        "a branch of a fork cannot end the flow alone: carry its result as a state to the `join`",
    );
}

/// The arcs that a firing marks.
fn outputs(graph: &Graph, firing: &Firing) -> Vec<usize> {
    let Some(node) = graph.nodes.get(firing.node.0) else {
        return graph.inputs();
    };
    let regular = match &node.successor {
        Successor::End => Vec::new(),
        Successor::One(arc) => vec![vec![*arc]],
        Successor::Group(GroupKind::Either, _, arcs) => arcs.iter().map(|arc| vec![*arc]).collect(),
        Successor::Group(GroupKind::Fork, _, arcs) => vec![arcs.clone()],
    };
    let caught = node.catch.map(|arc| vec![arc]);
    regular
        .into_iter()
        .chain(caught)
        .nth(firing.outcome)
        .unwrap_or_default()
}

fn waiting(place: &Place) -> Option<NodeId> {
    match place {
        Place::Slot { node, .. } => Some(*node),
        Place::Done => None,
    }
}

/// `` `a -> b` ``, with what failed and was caught.
fn text(graph: &Graph, run: &[Firing]) -> String {
    let steps: Vec<String> = run
        .iter()
        .map(|firing| {
            if is_start(graph, firing.node) {
                return "start".to_owned();
            }
            let caught = graph.nodes.get(firing.node.0).and_then(|node| node.catch);
            match caught {
                Some(arc) if outputs(graph, firing) == [arc] => {
                    format!("catch({})", graph.name(firing.node.0))
                }
                _ => graph.name(firing.node.0),
            }
        })
        .collect();
    format!("`{}`", steps.join(" -> "))
}

/// Whether it is the node of the net alone that hands out the input of the flow.
fn is_start(graph: &Graph, node: NodeId) -> bool {
    node.0 >= graph.nodes.len()
}

fn span(graph: &Graph, node: NodeId) -> Span {
    graph
        .nodes
        .get(node.0)
        .map_or_else(Span::call_site, |node| node.span)
}

/// The `join` of a node that has one.
fn mark(graph: &Graph, node: NodeId) -> Span {
    graph
        .nodes
        .get(node.0)
        .map_or_else(Span::call_site, |node| node.join.unwrap_or(node.span))
}
