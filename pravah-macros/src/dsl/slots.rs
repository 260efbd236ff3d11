//! Which arcs into a node are alternatives, and which are parallel.

use super::{
    alternatives::alternatives,
    graph::{Arc, From, Graph, NodeBody, Successor, To},
    parallel::Parallel,
    words::Word,
};
use crate::diag::Diagnostics;

/// Gives every arc its slot, those of the first branch of a fork before those of the second, in whatever order
/// statements say so. Parallel arcs into a node without `join` are reported once.
pub(super) fn fill(graph: &mut Graph, errors: &mut Diagnostics) {
    graph.parallel = Parallel::of(graph);
    for (node, arcs) in graph.incoming().into_iter().enumerate() {
        let slots = alternatives(&arcs, &graph.parallel);
        let is_join = graph.nodes.get(node).is_some_and(|it| it.join.is_some());
        if !is_join && let Some(arc) = slots.get(1).and_then(|slot| slot.first()) {
            refuse(graph, node, *arc, errors);
        }
        if let Some(node) = graph.nodes.get_mut(node) {
            node.slots = slots;
        }
    }
}

/// The path of the function that a node is.
fn function(graph: &Graph, node: usize) -> String {
    match graph.nodes.get(node).map(|node| &node.body) {
        Some(NodeBody::Node(it)) => it.path_text(),
        _ => graph.name(node),
    }
}

/// Whether a fork leads to the node with this branch and with another one.
fn has_two_branches(graph: &Graph, node: usize, arc: &Arc) -> bool {
    let mut others = graph.arcs.iter().filter(|it| it.to == To::Node(node));
    others.any(|other| match (arc.from, other.from) {
        (From::Output(one, branch), From::Output(same, other)) => one == same && branch != other,
        (From::Input, From::Input) => !std::ptr::eq(arc, other),
        _ => false,
    })
}

/// The one node that follows a node.
fn successor(graph: &Graph, node: usize) -> Option<String> {
    let Successor::One(arc) = graph.nodes.get(node)?.successor else {
        return None;
    };
    match graph.arcs.get(arc)?.to {
        To::Node(next) => Some(graph.name(next)),
        To::Done => None,
    }
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
        Some(NodeBody::Node(it)) if Word::of(&it.key) == Some(Word::Join) => {
            let next = successor(graph, node).unwrap_or_else(|| "node".to_owned());
            errors.error(
                arc.span,
                "`join` has no node",
                format!("write `join({next})`"),
            );
            return;
        }
        _ if has_two_branches(graph, node, arc) => {
            format!(
                "give one of them another name, `{} as other`; or, if `{name}` takes both, write `join({name})`",
                function(graph, node)
            )
        }
        _ => format!("write `join({name})`, and let `{name}` take a parameter for each branch"),
    };
    let fact = format!("parallel branches lead into `{name}` without `join`");
    errors.error(arc.span, fact, help);
}
