//! All that runs of a flow can do, followed from the input on.
//!
//! After A. Kovalyov, J. Esparza: *A Polynomial Algorithm to Compute the Concurrency Relation of Free-Choice Signal
//! Transition Graphs*, WODES 1996.

use std::collections::BTreeSet;

use super::{
    super::{
        alternatives::alternatives,
        graph::{Graph, To},
    },
    Fork, Parallel,
    post_dominators::post_dominators,
};

impl Parallel {
    /// It takes time quadratic in the arcs that are parallel to others, and none where nothing forks.
    pub(in crate::dsl) fn of(graph: &Graph) -> Self {
        match graph.has_fork() {
            true => Search::new(graph).run(),
            false => Self::default(),
        }
    }
}

pub(super) struct Search<'a> {
    pub(super) graph: &'a Graph,
    pub(super) nodes: Vec<Node>,
    pub(super) post_dominators: Vec<Option<usize>>,
    /// The arcs that some run has led to.
    reached: Vec<bool>,
    pub(super) parallel: Parallel,
    /// Nodes that can fire and did not yet.
    to_fire: Vec<usize>,
    /// Joins that arcs were led to since they were settled.
    pub(super) waiting: BTreeSet<usize>,
    /// Parallel arcs behind which nothing was looked at.
    pending: Vec<(usize, usize)>,
}

pub(super) struct Node {
    is_join: bool,
    is_fired: bool,
    pub(super) incoming: Vec<usize>,
    outgoing: Vec<usize>,
    /// Those of a join, of the arcs that were led to when it was settled.
    slots: Vec<Vec<usize>>,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph) -> Self {
        let incoming = graph.incoming();
        let nodes = graph.nodes.iter().zip(incoming).enumerate();
        let nodes = nodes.map(|(index, (node, incoming))| Node {
            is_join: node.join.is_some(),
            is_fired: false,
            incoming,
            outgoing: graph.outcomes(index).concat(),
            slots: Vec::new(),
        });
        let arcs = graph.arcs.len();
        Self {
            graph,
            nodes: nodes.collect(),
            post_dominators: post_dominators(graph),
            reached: vec![false; arcs],
            parallel: Parallel::of_size(arcs),
            to_fire: Vec::new(),
            waiting: BTreeSet::new(),
            pending: Vec::new(),
        }
    }

    fn run(mut self) -> Parallel {
        self.mark(&self.graph.inputs(), Fork::Input);
        loop {
            self.propagate();
            let joins = self.complete_joins();
            if joins.is_empty() {
                return self.parallel;
            }
            joins.into_iter().for_each(|join| self.settle(join));
        }
    }

    fn propagate(&mut self) {
        loop {
            if let Some(node) = self.to_fire.pop() {
                for outcome in self.graph.outcomes(node) {
                    self.mark(&outcome, Fork::After(node));
                }
            } else if let Some((one, other)) = self.pending.pop() {
                self.lead_on(one, other);
                self.lead_on(other, one);
            } else {
                return;
            }
        }
    }

    /// Marks the arcs of one outcome of `fork` together.
    fn mark(&mut self, arcs: &[usize], fork: Fork) {
        for (at, arc) in arcs.iter().enumerate() {
            if let Some(reached) = self.reached.get_mut(*arc) {
                *reached = true;
            }
            if let Some(node) = self.target(*arc) {
                match self.nodes.get(node).is_some_and(|node| node.is_join) {
                    true => drop(self.waiting.insert(node)),
                    false => self.fire(node),
                }
            }
            for after in arcs.iter().skip(at + 1) {
                self.add(*arc, *after, fork);
            }
        }
    }

    fn fire(&mut self, node: usize) {
        if let Some(known) = self.nodes.get_mut(node)
            && !std::mem::replace(&mut known.is_fired, true)
        {
            self.to_fire.push(node);
        }
    }

    /// What is parallel to all slots of a node stays so when the node fires, where the first of them was.
    fn lead_on(&mut self, arc: usize, beside: usize) {
        let Some(node) = self.target(arc).and_then(|node| self.nodes.get(node)) else {
            return;
        };
        let before = match node.is_join {
            false => vec![arc],
            true if node.is_beside(beside, &self.parallel) => {
                node.slots.first().cloned().unwrap_or_default()
            }
            true => return,
        };
        let outgoing = node.outgoing.clone();
        for arc in before {
            let forks = [
                self.parallel.fork_before(arc, beside),
                self.parallel.fork_before(beside, arc),
            ];
            for next in &outgoing {
                if let Some(fork) = forks[0] {
                    self.add(*next, beside, fork);
                }
                if let Some(fork) = forks[1] {
                    self.add(beside, *next, fork);
                }
            }
        }
    }

    fn add(&mut self, one: usize, other: usize, fork: Fork) {
        if self.parallel.add(one, other, fork) {
            self.pending.push((one, other));
        }
    }

    /// Gives the arcs into a join their slots, and looks at everything beside them again.
    fn settle(&mut self, join: usize) {
        self.waiting.remove(&join);
        let arcs = self.reached_arcs(join);
        if let Some(node) = self.nodes.get_mut(join) {
            node.slots = alternatives(&arcs, &self.parallel);
        }
        for arc in arcs {
            for beside in 0..self.graph.arcs.len() {
                if self.parallel.are(arc, beside) {
                    self.pending.push((arc, beside));
                }
            }
        }
        self.fire(join);
    }

    /// The arcs into a node that some run has led to.
    pub(super) fn reached_arcs(&self, node: usize) -> Vec<usize> {
        let incoming = self.nodes.get(node).map(|node| node.incoming.iter());
        let arcs = incoming.into_iter().flatten().copied();
        arcs.filter(|arc| self.reached.get(*arc) == Some(&true))
            .collect()
    }

    fn target(&self, arc: usize) -> Option<usize> {
        match self.graph.arcs.get(arc)?.to {
            To::Node(node) => Some(node),
            To::Done => None,
        }
    }
}

impl Node {
    fn is_beside(&self, arc: usize, parallel: &Parallel) -> bool {
        let mut slots = self.slots.iter();
        !self.slots.is_empty() && slots.all(|slot| slot.iter().any(|it| parallel.are(*it, arc)))
    }
}
