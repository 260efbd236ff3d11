//! Which nodes lie on a cycle: the strongly connected components of a graph (Tarjan 1972).

/// For each node whether it lies on a cycle.
pub(super) fn on_cycle(successors: &[Vec<usize>]) -> Vec<bool> {
    let mut search = Search {
        successors,
        index: vec![None; successors.len()],
        low: vec![0; successors.len()],
        on_stack: vec![false; successors.len()],
        stack: Vec::new(),
        next: 0,
        found: vec![false; successors.len()],
    };
    for node in 0..successors.len() {
        if search.index.get(node).is_some_and(Option::is_none) {
            search.visit(node);
        }
    }
    search.found
}

struct Search<'a> {
    successors: &'a [Vec<usize>],
    index: Vec<Option<usize>>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    found: Vec<bool>,
}

#[expect(
    clippy::indexing_slicing,
    reason = "every index is a node of the graph"
)]
impl Search<'_> {
    /// Depth first with a stack of its own: a flow may be deeper than the thread's stack.
    fn visit(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.open(root);
        while let Some((node, child)) = path.last_mut() {
            let node = *node;
            if let Some(&next) = self.successors[node].get(*child) {
                *child += 1;
                match self.index[next] {
                    None => {
                        self.open(next);
                        path.push((next, 0));
                    }
                    Some(index) if self.on_stack[next] => {
                        self.low[node] = self.low[node].min(index);
                    }
                    Some(_) => {}
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                self.low[parent] = self.low[parent].min(self.low[node]);
            }
            if self.index[node] == Some(self.low[node]) {
                self.close(node);
            }
        }
    }

    fn open(&mut self, node: usize) {
        self.index[node] = Some(self.next);
        self.low[node] = self.next;
        self.next += 1;
        self.stack.push(node);
        self.on_stack[node] = true;
    }

    fn close(&mut self, root: usize) {
        let mut members = Vec::new();
        while let Some(node) = self.stack.pop() {
            self.on_stack[node] = false;
            members.push(node);
            if node == root {
                break;
            }
        }
        if members.len() > 1 || self.successors[root].contains(&root) {
            for node in members {
                self.found[node] = true;
            }
        }
    }
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
