//! Documents that were changed while runs of them waited.

use pravah_document::{Edge, Member, Selector, When};
use serde_json::json;

use super::{dice::Dice, document::Drawn};

/// The document, changed in one place.
pub(super) fn changed(drawn: &Drawn, dice: &mut Dice) -> Drawn {
    let mut drawn = drawn.clone();
    let graph = &mut drawn.document.graph;
    let never = || Some(When::parse(&json!({ "or": [] })).unwrap());
    let member = dice.below(graph.members.len());
    match dice.roll(5) {
        0 => {
            // A node behind another.
            let mut added = graph.members[member].clone();
            if let Member::Node(node) = &mut added {
                node.id = "added".to_owned();
                let to = graph.members.len();
                graph.members.push(added);
                let on = Selector::Any;
                graph.edges.push(Edge {
                    from: member,
                    to,
                    on,
                    when: None,
                });
            }
        }
        1 => {
            graph.members.remove(member);
            graph
                .edges
                .retain(|edge| edge.from != member && edge.to != member);
            for edge in &mut graph.edges {
                edge.from -= usize::from(edge.from > member);
                edge.to -= usize::from(edge.to > member);
            }
        }
        2 => {
            let index = dice.below(graph.edges.len().max(1));
            if let Some(edge) = graph.edges.get_mut(index) {
                edge.when = never();
            }
        }
        3 => {
            let index = dice.below(graph.edges.len().max(1));
            if index < graph.edges.len() {
                graph.edges.remove(index);
            }
        }
        _ => {
            if let Member::Node(node) = &mut graph.members[member] {
                node.when = never();
            }
        }
    }
    drawn
}
