//! Which nodes lie on a cycle.

use crate::strong_components;

/// For each vertex of a directed graph, given by the successors of each, whether it lies on a cycle.
///
/// ```
/// // 0 -> 1 <-> 2
/// assert_eq!(pravah_graph::on_cycle(&[vec![1], vec![2], vec![1]]), [false, true, true]);
/// ```
pub fn on_cycle(successors: &[Vec<usize>]) -> Vec<bool> {
    let mut found = vec![false; successors.len()];
    for component in strong_components(successors) {
        let feeds_itself = |node: &usize| successors.get(*node).is_some_and(|to| to.contains(node));
        if component.len() > 1 || component.iter().any(feeds_itself) {
            for node in component {
                if let Some(found) = found.get_mut(node) {
                    *found = true;
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::on_cycle;

    #[test]
    fn a_chain_has_no_cycle() {
        assert_eq!(on_cycle(&[vec![1], vec![2], vec![]]), [false, false, false]);
    }

    #[test]
    fn the_members_of_a_loop_are_found_and_its_surroundings_are_not() {
        let found = on_cycle(&[vec![1], vec![2], vec![1, 3], vec![]]);
        assert_eq!(found, [false, true, true, false]);
    }

    #[test]
    fn a_node_that_feeds_itself_is_a_loop() {
        assert_eq!(on_cycle(&[vec![0]]), [true]);
    }

    #[test]
    fn a_very_deep_flow_needs_no_deep_stack() {
        let deep: Vec<Vec<usize>> = (0..200_000).map(|i| vec![(i + 1) % 200_000]).collect();
        assert!(on_cycle(&deep).into_iter().all(|found| found));
    }
}
