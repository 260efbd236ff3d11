//! Where the states of a flow go, before it is linked: from the outputs of its nodes to their parameters.

use std::collections::BTreeMap;

#[cfg(test)]
use super::Name;
use super::NodeSpec;
use crate::topology::{ArcFrom, Topology};

/// A parameter of a node, both by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Port {
    pub(crate) node: usize,
    pub(crate) param: usize,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Wiring {
    /// The parameters that take the flow's input.
    pub(crate) entry: Vec<Port>,
    pub(crate) nodes: Vec<NodeWiring>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct NodeWiring {
    /// For each output the parameters that take it: none if it ends the flow.
    pub(crate) outputs: Vec<Vec<Port>>,
    /// The same for the node's failure, where a `catch` follows.
    pub(crate) catch: Vec<Port>,
}

impl Wiring {
    /// Every state goes to the one parameter that takes it.
    pub(super) fn by_state(input: &str, specs: &[NodeSpec]) -> Self {
        let mut takers: BTreeMap<&str, Port> = BTreeMap::new();
        for (node, spec) in specs.iter().enumerate() {
            for (param, states) in spec.params.iter().enumerate() {
                takers.extend(states.iter().map(|state| (&**state, Port { node, param })));
            }
        }
        let taker = |state: &str| takers.get(state).copied().into_iter().collect();
        let nodes = specs.iter().map(|spec| NodeWiring {
            outputs: spec.outputs.iter().map(|state| taker(state)).collect(),
            catch: spec
                .catch
                .iter()
                .flat_map(|it| takers.get(&*it.name).copied())
                .collect(),
        });
        Self {
            entry: taker(input),
            nodes: nodes.collect(),
        }
    }

    /// Every state goes where the flow has an arc for it.
    pub(super) fn of(topology: &Topology, specs: &[NodeSpec]) -> Self {
        let mut wiring = Self::default();
        let outputs = specs
            .iter()
            .map(|spec| vec![Vec::new(); spec.outputs.len()]);
        wiring.nodes.extend(outputs.map(|outputs| NodeWiring {
            outputs,
            catch: Vec::new(),
        }));
        for (node, spec) in specs.iter().enumerate() {
            wiring.fill(node, spec, topology);
        }
        wiring
    }

    /// Leads the arcs of each slot of a node to the first parameter that takes what they bring and that no
    /// slot before has filled.
    fn fill(&mut self, node: usize, spec: &NodeSpec, topology: &Topology) {
        let mut filled = vec![false; spec.params.len()];
        for arcs in topology.slots_of(node) {
            let carried = arcs.first().and_then(|arc| topology.carried.get(*arc));
            let state = carried.and_then(|carried| carried.state);
            let mut params = spec.params.iter().zip(&mut filled).enumerate();
            let free = params.find(|(_, (states, filled))| {
                !**filled && state.is_some_and(|state| states.iter().any(|it| *it == state.name))
            });
            let Some((param, (_, filled))) = free else {
                continue;
            };
            *filled = true;
            for arc in arcs.iter().filter_map(|arc| topology.arcs.get(*arc)) {
                self.lead(arc.from, Port { node, param });
            }
        }
    }

    fn lead(&mut self, from: ArcFrom, to: Port) {
        let ports = match from {
            ArcFrom::Input => Some(&mut self.entry),
            ArcFrom::Output { node, output } => {
                let node = self.nodes.get_mut(node);
                // One state that is handed to every branch of a fork is one output.
                node.and_then(|node| match node.outputs.as_mut_slice() {
                    [only] => Some(only),
                    outputs => outputs.get_mut(output),
                })
            }
            ArcFrom::Failure { node } => self.nodes.get_mut(node).map(|node| &mut node.catch),
        };
        ports.into_iter().for_each(|ports| ports.push(to));
    }
}

#[cfg(test)]
impl Wiring {
    /// See [`FlowGraph::link_shared`](super::FlowGraph::link_shared).
    pub(super) fn share(
        &mut self,
        specs: &mut [NodeSpec],
        rename: &mut impl FnMut(&str) -> String,
    ) {
        use crate::topology::ShapeKind;

        let mut new: BTreeMap<Name, Name> = BTreeMap::new();
        for (spec, wiring) in specs.iter_mut().zip(&mut self.nodes) {
            let is_handed_to_all = matches!(spec.shape, ShapeKind::One) && spec.outputs.len() > 1;
            let mut first = None;
            for output in &spec.outputs {
                let name = match &first {
                    Some(first) if is_handed_to_all => Name::clone(first),
                    _ => Name::Owned(rename(output)),
                };
                first.get_or_insert_with(|| name.clone());
                new.insert(output.clone(), name);
            }
            if is_handed_to_all {
                spec.outputs.truncate(1);
                wiring.outputs = vec![wiring.outputs.concat()];
            }
        }
        for spec in specs {
            for name in spec.params.iter_mut().flatten().chain(&mut spec.outputs) {
                if let Some(new) = new.get(name) {
                    name.clone_from(new);
                }
            }
            for states in &mut spec.params {
                let mut known = std::collections::BTreeSet::new();
                states.retain(|state| known.insert(state.clone()));
            }
        }
    }
}
