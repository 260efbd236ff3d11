//! Which arcs into a node are alternatives, and which are parallel.

use std::collections::BTreeSet;

use super::graph::{Arc, From, Graph, NodeBody, To};
use crate::diag::Diagnostics;

/// Gives every arc its slot, those of the first branch of a fork before those of the second, in whatever order
/// statements say so. Parallel arcs into a node without `join` are reported once.
pub(super) fn fill(graph: &mut Graph, errors: &mut Diagnostics) {
    let mut refused = BTreeSet::new();
    let mut arcs: Vec<usize> = (0..graph.arcs.len()).collect();
    arcs.sort_by_key(|arc| graph.arcs.get(*arc).map(|arc| arc.position.clone()));
    for arc in arcs {
        let Some(To::Node(node)) = graph.arcs.get(arc).map(|arc| arc.to) else {
            continue;
        };
        let slot = free_slot(graph, node, arc);
        let is_join = graph
            .nodes
            .get(node)
            .is_some_and(|node| node.join.is_some());
        if slot > 0 && !is_join && refused.insert(node) {
            refuse(graph, node, arc, errors);
        }
        if let Some(node) = graph.nodes.get_mut(node) {
            match node.slots.get_mut(slot) {
                Some(slot) => slot.push(arc),
                None => node.slots.push(vec![arc]),
            }
        }
    }
}

/// The first slot of `node` all of whose arcs exclude `arc`. Branches are nested, so that this
/// makes as few slots as there can be (the arcs' graph is a cograph).
fn free_slot(graph: &Graph, node: usize, arc: usize) -> usize {
    let (Some(node), Some(arc)) = (graph.nodes.get(node), graph.arcs.get(arc)) else {
        return 0;
    };
    let excludes = |other: &usize| {
        let other = graph.arcs.get(*other);
        other.is_none_or(|other| arc.position.fork_between(&other.position).is_none())
    };
    let free = node.slots.iter().position(|slot| slot.iter().all(excludes));
    free.unwrap_or(node.slots.len())
}

/// Whether a fork leads to the node with this branch and with another one.
fn has_two_branches(graph: &Graph, node: usize, arc: &Arc) -> bool {
    let mut others = graph.arcs.iter().filter(|it| it.to == To::Node(node));
    others.any(|other| match (arc.from, other.from) {
        (From::Way(one, branch), From::Way(same, other)) => one == same && branch != other,
        (From::Input, From::Input) => !std::ptr::eq(arc, other),
        _ => false,
    })
}

fn refuse(graph: &Graph, node: usize, arc: usize, errors: &mut Diagnostics) {
    let Some(arc) = graph.arcs.get(arc) else {
        return;
    };
    let name = graph.name(node);
    let help = match graph.nodes.get(node).map(|node| &node.body) {
        Some(NodeBody::Each { .. }) => {
            "join them in a node before it: `join(node) -> each(…)`".to_owned()
        }
        _ if has_two_branches(graph, node, arc) => {
            format!(
                "name one of the branches otherwise, `{name} as other`, or, if `{name}` takes both, write `join({name})`"
            )
        }
        _ => format!("write `join({name})`, and let `{name}` take a parameter for each branch"),
    };
    let fact = format!("parallel branches lead into `{name}` without `join`");
    errors.error(arc.span, fact, help);
}
