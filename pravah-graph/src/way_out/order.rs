//! The order of the way out, and its outcomes.

use std::collections::VecDeque;

use crate::Net;
use crate::dense::Dense;
use crate::numbering::Numbering;

struct Outcome {
    node: u32,
    marks: Vec<u32>,
    /// How many of the marked places belong to nodes that are not in the order yet.
    open: usize,
}

/// All nodes, and what the chosen outcome of each marks: done, and slots of nodes before it. The order grows
/// breadth first, so that short paths to done are chosen. `None` if there is no such order.
pub(super) fn towards_done(
    net: &Net,
    numbering: &Numbering,
) -> Option<(Vec<u32>, Dense<Vec<u32>>)> {
    let done = numbering.nodes();
    let mut outcomes: Dense<Outcome> = Dense::default();
    // For each node, and for done: the outcomes that mark its slots, once for each of them.
    let mut into: Dense<Vec<u32>> = (0..=done).map(|_| Vec::new()).collect();
    for node in net.ids() {
        for outputs in net.outcomes(node) {
            let marks: Vec<u32> = outputs.iter().map(|&it| numbering.number(it)).collect();
            let number = outcomes.len() as u32;
            for &place in &marks {
                into[numbering.owner(place)].push(number);
            }
            outcomes.push(Outcome {
                node: node.0 as u32,
                open: marks.len(),
                marks,
            });
        }
    }
    let mut order = Vec::new();
    let mut next: Dense<Vec<u32>> = (0..done).map(|_| Vec::new()).collect();
    let mut reached = VecDeque::from([done]);
    while let Some(at) = reached.pop_front() {
        for outcome in std::mem::take(&mut into[at]) {
            let Outcome { node, marks, open } = &mut outcomes[outcome];
            *open -= 1;
            // No outcome marks nothing, so a node that has been reached has a list of marks.
            if *open == 0 && next[*node].is_empty() {
                next[*node] = std::mem::take(marks);
                order.push(*node);
                reached.push_back(*node);
            }
        }
    }
    (order.len() == net.node_count()).then_some((order, next))
}
