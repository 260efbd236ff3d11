//! Strongly connected components, by Tarjan's algorithm without recursion: a flow may
//! be deeper than the stack.

const UNSEEN: usize = usize::MAX;

/// The strongly connected components of a directed graph, given by the successors of each vertex
/// (Tarjan 1972).
///
/// A component comes after all components that it leads to, and lists its vertices in
/// ascending order. Targets outside the graph are ignored.
///
/// ```
/// // 0 -> 1 <-> 2
/// let components = pravah_graph::strong_components(&[vec![1], vec![2], vec![1]]);
/// assert_eq!(components, [vec![1, 2], vec![0]]);
/// ```
pub fn strong_components(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search = Search {
        index: vec![UNSEEN; successors.len()],
        low: vec![UNSEEN; successors.len()],
        stack: Vec::new(),
        seen: 0,
        found: Vec::new(),
    };
    for root in 0..successors.len() {
        if search.index.get(root) == Some(&UNSEEN) {
            search.walk(root, successors);
        }
    }
    search.found
}

struct Search {
    /// When a vertex was first seen.
    index: Vec<usize>,
    /// The earliest vertex on the stack that it leads to; unseen once it left the stack.
    low: Vec<usize>,
    stack: Vec<usize>,
    seen: usize,
    found: Vec<Vec<usize>>,
}

impl Search {
    fn walk(&mut self, root: usize, successors: &[Vec<usize>]) {
        let mut path = vec![self.enter(root, successors)];
        while let Some((vertex, rest)) = path.last_mut() {
            let vertex = *vertex;
            match rest.next() {
                Some(&next) if self.index.get(next) == Some(&UNSEEN) => {
                    path.push(self.enter(next, successors));
                }
                Some(&next) => self.lower(vertex, next),
                None => {
                    path.pop();
                    self.leave(vertex);
                    if let Some((parent, _)) = path.last() {
                        self.lower(*parent, vertex);
                    }
                }
            }
        }
    }

    fn enter<'a>(
        &mut self,
        vertex: usize,
        successors: &'a [Vec<usize>],
    ) -> (usize, std::slice::Iter<'a, usize>) {
        let numbers = [self.index.get_mut(vertex), self.low.get_mut(vertex)];
        for number in numbers.into_iter().flatten() {
            *number = self.seen;
        }
        self.seen += 1;
        self.stack.push(vertex);
        (
            vertex,
            successors.get(vertex).map_or([].iter(), |to| to.iter()),
        )
    }

    /// `vertex` leads to `other`: if that is still on the stack, it leads as far back.
    fn lower(&mut self, vertex: usize, other: usize) {
        let reach = self.low.get(other).copied().unwrap_or(UNSEEN);
        if let Some(low) = self.low.get_mut(vertex) {
            // A vertex that left the stack is unseen again here, which lowers nothing.
            *low = reach.min(*low);
        }
    }

    /// All successors are done: a vertex that leads no further back than itself is the
    /// root of a component.
    fn leave(&mut self, vertex: usize) {
        if self.low.get(vertex) != self.index.get(vertex) {
            return;
        }
        let start = self
            .stack
            .iter()
            .rposition(|&on| on == vertex)
            .unwrap_or_default();
        let mut component = self.stack.split_off(start);
        for &member in &component {
            if let Some(low) = self.low.get_mut(member) {
                *low = UNSEEN;
            }
        }
        component.sort_unstable();
        self.found.push(component);
    }
}
