//! What the nodes of a random flow read: states of which all runs have made one before, and of which no two runs
//! have made another one. All markings are visited to see that.

use std::collections::BTreeSet;

use crate::{
    FlowGraph,
    graph::{EachNode, Name, NodeKind, NodeSpec},
    topology::ShapeKind,
};

/// Draws a number below another.
type Dice<'a> = dyn FnMut(usize) -> usize + 'a;

/// How many markings are visited before a flow is left without reads.
const LIMIT: usize = 400;

/// The same flow, with reads in it and in the flows and lists within.
pub(in super::super) fn with_reads(dice: &mut Dice<'_>, graph: &FlowGraph) -> FlowGraph {
    reading(dice, graph, &BTreeSet::new()).0
}

/// The same for the chain of a list, which may also read states that are made `around` it: those that it has to
/// start with are returned with it.
fn reading(
    dice: &mut Dice<'_>,
    graph: &FlowGraph,
    around: &BTreeSet<Name>,
) -> (FlowGraph, BTreeSet<Name>) {
    let mut specs = graph.specs.to_vec();
    let mut names: BTreeSet<Name> = specs.iter().flat_map(|spec| spec.outputs.clone()).collect();
    names.insert(graph.input().to_owned().into());
    let known: Vec<Name> = names.union(around).cloned().collect();
    let runs = Runs::of(graph);
    let mut wanted = BTreeSet::new();
    for (node, spec) in specs.iter_mut().enumerate() {
        let mut can_read = |state: &Name| match runs.as_ref().map(|runs| runs.read(node, state)) {
            Some(Read::Made) => true,
            Some(Read::Unmade) if around.contains(state) => {
                wanted.insert(state.clone());
                true
            }
            _ => false,
        };
        match &mut spec.kind {
            NodeKind::Flow(inner) => *inner = with_reads(dice, inner),
            NodeKind::Each(EachNode { chain, .. }) => {
                let around = known.iter().cloned().collect();
                let (inner, mut unmade) = reading(dice, chain, &around);
                unmade.retain(|state| !can_read(state));
                *chain = without(&inner, &unmade);
            }
            _ => {
                let states = (0..dice(4)).map(|_| known[dice(known.len())].clone());
                let states: BTreeSet<Name> = states.collect();
                spec.reads = states.into_iter().filter(can_read).collect();
            }
        }
    }
    (graph.with_nodes(specs), wanted)
}

/// The same chain, which does not read these states.
fn without(chain: &FlowGraph, states: &BTreeSet<Name>) -> FlowGraph {
    if states.is_empty() {
        return chain.clone();
    }
    let mut specs = chain.specs.to_vec();
    for spec in &mut specs {
        spec.reads.retain(|state| !states.contains(state));
        if let NodeKind::Each(EachNode { chain, .. }) = &mut spec.kind {
            *chain = without(chain, states);
        }
    }
    chain.with_nodes(specs)
}

/// The parameters that hold something, each by its node and its number.
type Marking = BTreeSet<(usize, usize)>;

/// What a run of the flow can do, where what is nested in it is one node.
struct Runs<'a> {
    specs: &'a [NodeSpec],
    outcomes: Vec<Vec<Outcome>>,
    start: Marking,
    is_input: Name,
    markings: BTreeSet<Marking>,
}

struct Outcome {
    marks: Marking,
    makes: BTreeSet<Name>,
}

enum Read {
    Made,
    /// Some run has made none.
    Unmade,
    /// Which one is read would be chance.
    Raced,
}

impl<'a> Runs<'a> {
    /// All that there are, unless these are too many.
    fn of(graph: &'a FlowGraph) -> Option<Self> {
        let wiring = &graph.specs.wiring;
        let specs = graph.specs.iter();
        let outcomes = specs.enumerate().map(|(node, spec)| {
            let wiring = &wiring.nodes[node];
            let branches = spec.outputs.iter().zip(&wiring.outputs);
            let mut outcomes: Vec<Outcome> = branches
                .map(|(state, ports)| Outcome {
                    marks: ports.iter().map(|port| (port.node, port.param)).collect(),
                    makes: [state.clone()].into(),
                })
                .collect();
            if !matches!(spec.shape, ShapeKind::Choice) {
                outcomes = vec![Outcome {
                    marks: outcomes.iter().flat_map(|it| it.marks.clone()).collect(),
                    makes: spec.outputs.iter().cloned().collect(),
                }];
            }
            outcomes.extend(spec.catch.iter().map(|_| {
                Outcome {
                    marks: wiring
                        .catch
                        .iter()
                        .map(|port| (port.node, port.param))
                        .collect(),
                    makes: BTreeSet::new(),
                }
            }));
            outcomes
        });
        let mut runs = Self {
            specs: &graph.specs,
            outcomes: outcomes.collect(),
            start: wiring
                .entry
                .iter()
                .map(|port| (port.node, port.param))
                .collect(),
            is_input: graph.input().to_owned().into(),
            markings: BTreeSet::new(),
        };
        runs.markings = runs.reached([runs.start.clone()], |_| true)?;
        Some(runs)
    }

    fn read(&self, reader: usize, state: &Name) -> Read {
        if self.is_raced(reader, state).unwrap_or(true) {
            return Read::Raced;
        }
        let from = (self.is_input != *state).then(|| self.start.clone());
        let unmade = self.reached(from, |outcome| !outcome.makes.contains(state));
        match unmade {
            Some(unmade) if unmade.iter().any(|it| self.can_run(it, reader)) => Read::Unmade,
            _ => Read::Made,
        }
    }

    fn is_raced(&self, reader: usize, state: &Name) -> Option<bool> {
        let nodes = 0..self.specs.len();
        let makes = |node: &usize| {
            self.outcomes[*node]
                .iter()
                .any(|it| it.makes.contains(state))
        };
        let makers: Vec<usize> = nodes.filter(makes).collect();
        let mut behind = Vec::new();
        for marking in &self.markings {
            let running = makers.iter().filter(|node| self.can_run(marking, **node));
            let running: Vec<usize> = running.copied().collect();
            if self.can_run(marking, reader) && running.iter().any(|node| *node != reader) {
                return Some(true);
            }
            for (at, one) in running.iter().enumerate() {
                for other in running.iter().skip(at + 1) {
                    for first in self.made_by(marking, *one, state) {
                        behind.extend(self.made_by(&first, *other, state));
                    }
                }
            }
        }
        let behind = self.reached(behind, |outcome| !outcome.makes.contains(state))?;
        Some(behind.iter().any(|marking| self.can_run(marking, reader)))
    }

    /// What is marked after a node has made a state.
    fn made_by(&self, marking: &Marking, node: usize, state: &Name) -> Vec<Marking> {
        let outcomes = self.outcomes[node].iter();
        let making = outcomes.filter(|outcome| outcome.makes.contains(state));
        making
            .map(|outcome| self.fired(marking, node, outcome))
            .collect()
    }

    fn slots(&self, node: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..self.specs[node].params.len()).map(move |param| (node, param))
    }

    fn can_run(&self, marking: &Marking, node: usize) -> bool {
        self.slots(node).all(|slot| marking.contains(&slot))
    }

    fn fired(&self, marking: &Marking, node: usize, outcome: &Outcome) -> Marking {
        let mut next = marking.clone();
        next.retain(|(of, _)| *of != node);
        next.extend(&outcome.marks);
        next
    }

    fn reached(
        &self,
        from: impl IntoIterator<Item = Marking>,
        is_allowed: impl Fn(&Outcome) -> bool,
    ) -> Option<BTreeSet<Marking>> {
        let mut reached: BTreeSet<Marking> = from.into_iter().collect();
        let mut open: Vec<Marking> = reached.iter().cloned().collect();
        while let Some(marking) = open.pop() {
            for node in (0..self.specs.len()).filter(|node| self.can_run(&marking, *node)) {
                for outcome in self.outcomes[node].iter().filter(|it| is_allowed(it)) {
                    let next = self.fired(&marking, node, outcome);
                    if reached.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
            if reached.len() > LIMIT {
                return None;
            }
        }
        Some(reached)
    }
}
