//! Which nodes paths lead to, whatever waits beside what goes along them.

use crate::{Net, Place};

/// For each vertex of a directed graph, given by the successors of each, whether a path leads from it to one of `targets`,
/// or it is one of them.
///
/// ```
/// // 0 -> 1 -> 3, 0 -> 2
/// let successors = [vec![1, 2], vec![3], vec![], vec![]];
/// assert_eq!(pravah_graph::leading_to(&successors, [3]), [true, true, false, true]);
/// ```
pub fn leading_to(
    successors: &[Vec<usize>],
    targets: impl IntoIterator<Item = usize>,
) -> Vec<bool> {
    flood(&reversed(successors), targets).0
}

pub(crate) fn successors(net: &Net) -> Vec<Vec<usize>> {
    let targets = |node| {
        let outputs = net.outcomes(node).iter().flatten();
        let nodes = outputs.filter_map(|place| match place {
            Place::Slot { node, .. } => Some(node.0),
            Place::Done => None,
        });
        nodes.collect()
    };
    net.ids().map(targets).collect()
}

pub(crate) fn reversed(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut previous = vec![Vec::new(); next.len()];
    for (node, targets) in next.iter().enumerate() {
        for &target in targets {
            if let Some(sources) = previous.get_mut(target) {
                sources.push(node);
            }
        }
    }
    previous
}

/// A set of nodes.
pub(crate) struct Marked(Vec<bool>);

impl Marked {
    pub(crate) fn has(&self, node: usize) -> bool {
        self.0.get(node).copied().unwrap_or_default()
    }

    /// Answers whether the node was new.
    fn mark(&mut self, node: usize) -> bool {
        self.0
            .get_mut(node)
            .is_some_and(|marked| !std::mem::replace(marked, true))
    }

    pub(crate) fn unmarked(&self) -> impl Iterator<Item = usize> {
        (0..self.0.len()).filter(|&node| !self.has(node))
    }
}

/// All nodes that can be reached from `roots`, themselves included.
pub(crate) fn flood(next: &[Vec<usize>], roots: impl IntoIterator<Item = usize>) -> Marked {
    let mut marked = Marked(vec![false; next.len()]);
    let mut open: Vec<usize> = roots
        .into_iter()
        .filter(|&root| marked.mark(root))
        .collect();
    while let Some(node) = open.pop() {
        for &target in next.get(node).into_iter().flatten() {
            if marked.mark(target) {
                open.push(target);
            }
        }
    }
    marked
}
