//! What is said of reads, against all runs of random sound nets.

use std::collections::BTreeSet;

use pravah_graph::{Firing, Net, NodeId, Place};
use proptest::prelude::*;

use super::mistake_of_reads;
use crate::{
    random_nets::{Dice, Draft},
    state::StateRef,
    topology::{
        ArcFrom, ArcTo, ArcsOf, Ends, FailureName, ParamRef, Shape, ShapeKind, Signature, Topology,
        TopologyArc, TopologyNode, carried,
    },
};

/// How many markings are visited before a net is given up as too large.
const LIMIT: usize = 1_500;
const MAX_ARCS: usize = 96;

const fn state(name: &'static str) -> StateRef {
    StateRef {
        name,
        path: name,
        ..StateRef::NONE
    }
}

const READ: StateRef = state("Read");
const OTHER: StateRef = state("Other");
const IN: StateRef = state("In");
const OUT: StateRef = state("Out");

/// A net whose nodes each choose, or fork, or do neither, as those of a flow.
struct Flow {
    nodes: Vec<FlowNode>,
    entry: Place,
}

#[derive(Clone, Default)]
struct FlowNode {
    slots: usize,
    /// What each branch leads to, and whether what it carries is made to be read.
    branches: Vec<(Place, bool)>,
    is_fork: bool,
    catch: Option<Place>,
}

impl Flow {
    /// The same net, with a node of its own for each outcome of a choice that marks several places.
    fn of(draft: &Draft, dice: &mut Dice) -> Self {
        let mut nodes: Vec<FlowNode> = Vec::new();
        let mut more: Vec<FlowNode> = Vec::new();
        let first_new = draft.nodes.len();
        for node in &draft.nodes {
            let mut flow_node = FlowNode {
                slots: node.slots,
                ..FlowNode::default()
            };
            let is_plain = |outputs: &Vec<Place>| matches!(**outputs, [Place::Slot { .. }]);
            let mut outcomes = node.outcomes.clone();
            if outcomes.len() > 1 && outcomes.iter().any(is_plain) && dice.below(3) == 0 {
                let caught = outcomes.iter().position(is_plain).unwrap();
                flow_node.catch = outcomes.remove(caught).first().copied();
            }
            if let [only] = outcomes.as_slice() {
                flow_node.is_fork = only.len() > 1;
                flow_node.branches = only.iter().map(|place| (*place, false)).collect();
            } else {
                for outcome in outcomes {
                    let place = match *outcome {
                        [place] => place,
                        _ => {
                            more.push(FlowNode {
                                slots: 1,
                                branches: outcome.iter().map(|it| (*it, false)).collect(),
                                is_fork: true,
                                catch: None,
                            });
                            let node = NodeId(first_new + more.len() - 1);
                            Place::Slot { node, slot: 0 }
                        }
                    };
                    flow_node.branches.push((place, false));
                }
            }
            nodes.push(flow_node);
        }
        nodes.extend(more);
        Self {
            nodes,
            entry: draft.entry,
        }
    }

    /// Lets some branches carry what is read.
    fn make_some(&mut self, dice: &mut Dice) {
        for _ in 0..1 + dice.below(4) {
            let node = dice.below(self.nodes.len());
            let branches = &mut self.nodes[node].branches;
            let branch = dice.below(branches.len());
            let (place, made) = &mut branches[branch];
            *made = *place != Place::Done;
        }
    }

    /// For each outcome of a node what it marks, and whether it makes what is read.
    fn outcomes(&self, node: usize) -> Vec<(Vec<Place>, bool)> {
        let FlowNode {
            branches,
            is_fork,
            catch,
            ..
        } = &self.nodes[node];
        let mut outcomes: Vec<(Vec<Place>, bool)> = match is_fork {
            true => vec![(
                branches.iter().map(|(place, _)| *place).collect(),
                branches.iter().any(|(_, made)| *made),
            )],
            false => branches
                .iter()
                .map(|(place, made)| (vec![*place], *made))
                .collect(),
        };
        outcomes.extend(catch.map(|place| (vec![place], false)));
        outcomes
    }

    fn net(&self) -> Net {
        let mut net = Net::new();
        for node in &self.nodes {
            net.add_node(node.slots);
        }
        for node in 0..self.nodes.len() {
            for (places, _) in self.outcomes(node) {
                net.add_outcome(NodeId(node), places);
            }
        }
        net.set_entry(self.entry);
        net
    }

    fn topology(&self, reader: usize) -> Option<&'static Topology> {
        let mut arcs = vec![(ArcFrom::Input, self.entry)];
        let mut branches: Vec<Vec<usize>> = Vec::new();
        for (node, it) in self.nodes.iter().enumerate() {
            let outputs = it.branches.iter().enumerate();
            branches.push((arcs.len()..arcs.len() + it.branches.len()).collect());
            arcs.extend(
                outputs.map(|(output, (place, _))| (ArcFrom::Output { node, output }, *place)),
            );
            arcs.extend(it.catch.map(|place| (ArcFrom::Failure { node }, place)));
        }
        if arcs.len() > MAX_ARCS {
            return None;
        }
        let nodes = (0..self.nodes.len()).map(|node| {
            let it = &self.nodes[node];
            let carries = |from: ArcFrom| match from {
                ArcFrom::Input => IN,
                ArcFrom::Failure { .. } => FAILURE.state(),
                ArcFrom::Output { node, output } => match self.nodes[node].branches[output] {
                    (Place::Done, _) => OUT,
                    (_, true) => READ,
                    (_, false) => OTHER,
                },
            };
            let slots: Vec<&[usize]> = (0..it.slots)
                .map(|slot| {
                    let place = Place::Slot {
                        node: NodeId(node),
                        slot,
                    };
                    let leading = arcs.iter().enumerate().filter(|(_, (_, to))| *to == place);
                    leaked(leading.map(|(arc, _)| arc).collect())
                })
                .collect();
            let params = slots.iter().map(|slot| {
                let mut states: Vec<StateRef> = Vec::new();
                for state in slot.iter().map(|arc| carries(arcs[*arc].0)) {
                    if states.iter().all(|known| known.name != state.name) {
                        states.push(state);
                    }
                }
                ParamRef::of_states("Param", "Param", leaked(states))
            });
            let params = leaked(params.collect::<Vec<ParamRef>>());
            let kind = match (it.is_fork, it.branches.len()) {
                (true, _) => ShapeKind::Fork,
                (false, 1) => ShapeKind::One,
                (false, _) => ShapeKind::Choice,
            };
            let states =
                (0..it.branches.len()).map(|output| carries(ArcFrom::Output { node, output }));
            let shape = Shape::new(kind, leaked(states.collect()));
            let name: &str = leaked_name(node);
            let mut signature = Signature::new(name, params, shape);
            if node == reader {
                signature = signature.asking(leaked(vec![ParamRef::read(&[READ])]));
            }
            let arcs_of = ArcsOf {
                slots: leaked(vec![leaked(slots) as &[_]]),
                branches: leaked(vec![leaked(branches[node].clone()) as &[_]]),
            };
            let made = TopologyNode::new([name, name], signature, kind, arcs_of, 0);
            match it.catch {
                Some(_) => made.caught(&FAILURE),
                None => made,
            }
        });
        let nodes = leaked(nodes.collect::<Vec<TopologyNode>>());
        let arcs = arcs.iter().map(|(from, to)| {
            let to = match to {
                Place::Slot { node, .. } => ArcTo::Node(node.0),
                Place::Done => ArcTo::Done,
            };
            TopologyArc::new(*from, to)
        });
        let arcs = leaked(arcs.collect::<Vec<TopologyArc>>());
        let ends = Ends::of(Some(IN), Some(OUT));
        let carried =
            leaked(carried::<MAX_ARCS>(nodes, &padded(arcs), ends)[..arcs.len()].to_vec());
        let concurrency = leaked(self.net().concurrency().to_bytes(nodes.len()));
        let topology =
            Topology::new("flow", nodes, arcs, carried, ends).with_concurrency(concurrency);
        Some(&leaked(vec![topology])[0])
    }
}

static FAILURE: FailureName = FailureName::of(Signature::new(
    "caught",
    &[ParamRef::of_states("Other", "Other", &[])],
    Shape::new(ShapeKind::One, &[]),
));

/// So many arcs that a constant is as long as any net needs.
fn padded(arcs: &[TopologyArc]) -> Vec<TopologyArc> {
    let more = std::iter::repeat(TopologyArc::new(ArcFrom::Input, ArcTo::Done));
    arcs.iter().copied().chain(more).take(MAX_ARCS).collect()
}

fn leaked<T>(list: Vec<T>) -> &'static [T] {
    list.leak()
}

fn leaked_name(node: usize) -> &'static str {
    format!("n{node}").leak()
}

type Marking = BTreeSet<Place>;

/// The net with which outcomes make what is read, as all of its runs show it.
struct Runs<'a> {
    flow: &'a Flow,
    /// The markings that can be reached from the start.
    markings: BTreeSet<Marking>,
}

impl<'a> Runs<'a> {
    fn of(flow: &'a Flow) -> Option<Self> {
        let start = Marking::from([flow.entry]);
        let markings = reached(flow, [start], |_| true)?;
        Some(Self { flow, markings })
    }

    /// What is wrong with a read at this node: what is found first.
    fn mistake(&self, reader: usize) -> Option<Option<&'static str>> {
        let flow = self.flow;
        let does_not_make = |firing: Firing| !flow.outcomes(firing.node.0)[firing.outcome].1;
        let start = Marking::from([flow.entry]);
        let unmade = reached(flow, [start], does_not_make)?;
        if unmade.iter().any(|marking| can_run(flow, marking, reader)) {
            return Some(Some("unmade"));
        }
        let makers: Vec<Firing> = (0..flow.nodes.len())
            .flat_map(|node| {
                let outcomes = flow.outcomes(node).into_iter().enumerate();
                outcomes
                    .filter(|(_, (_, made))| *made)
                    .map(move |(outcome, _)| Firing {
                        node: NodeId(node),
                        outcome,
                    })
            })
            .collect();
        let both = |marking: &&Marking, one: usize, other: usize| {
            one != other && can_run(flow, marking, one) && can_run(flow, marking, other)
        };
        let mut behind = Vec::new();
        for (at, one) in makers.iter().enumerate() {
            if self.markings.iter().any(|it| both(&it, one.node.0, reader)) {
                return Some(Some("race"));
            }
            for other in &makers[at + 1..] {
                let markings = self.markings.iter();
                for marking in markings.filter(|it| both(it, one.node.0, other.node.0)) {
                    behind.push(fired(flow, &fired(flow, marking, *one), *other));
                }
            }
        }
        let behind = reached(flow, behind, does_not_make)?;
        let is_rival = behind.iter().any(|marking| can_run(flow, marking, reader));
        Some(is_rival.then_some("race"))
    }
}

fn reached(
    flow: &Flow,
    from: impl IntoIterator<Item = Marking>,
    is_allowed: impl Fn(Firing) -> bool,
) -> Option<BTreeSet<Marking>> {
    let mut reached: BTreeSet<Marking> = from.into_iter().collect();
    let mut open: Vec<Marking> = reached.iter().cloned().collect();
    while let Some(marking) = open.pop() {
        for node in (0..flow.nodes.len()).filter(|node| can_run(flow, &marking, *node)) {
            for outcome in 0..flow.outcomes(node).len() {
                let firing = Firing {
                    node: NodeId(node),
                    outcome,
                };
                if is_allowed(firing) {
                    let next = fired(flow, &marking, firing);
                    if reached.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
        if reached.len() > LIMIT {
            return None;
        }
    }
    Some(reached)
}

fn slots(flow: &Flow, node: usize) -> impl Iterator<Item = Place> {
    (0..flow.nodes[node].slots).map(move |slot| Place::Slot {
        node: NodeId(node),
        slot,
    })
}

fn can_run(flow: &Flow, marking: &Marking, node: usize) -> bool {
    slots(flow, node).all(|slot| marking.contains(&slot))
}

fn fired(flow: &Flow, marking: &Marking, firing: Firing) -> Marking {
    let mut next = marking.clone();
    for slot in slots(flow, firing.node.0) {
        next.remove(&slot);
    }
    next.extend(
        flow.outcomes(firing.node.0)[firing.outcome]
            .0
            .iter()
            .copied(),
    );
    next
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1_200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_read_is_refused_if_some_run_shows_why(seed: u64, size in 2_usize..14) {
        let mut dice = Dice::new(seed);
        let mut flow = Flow::of(&Draft::sound(&mut dice, size), &mut dice);
        prop_assert_eq!(flow.net().check(), []);
        flow.make_some(&mut dice);
        let Some(runs) = Runs::of(&flow) else { return Ok(()) };
        for reader in 0..flow.nodes.len() {
            let (Some(topology), Some(mistake)) = (flow.topology(reader), runs.mistake(reader)) else {
                continue;
            };
            prop_assert!(topology.is_known(), "the net is not in order");
            let said = mistake_of_reads(topology, reader);
            let said = said.as_ref().map(|it| match it.as_str() {
                text if text.contains("would depend on timing") => "race",
                _ => "unmade",
            });
            prop_assert_eq!(said, mistake, "n{}", reader);
        }
    }
}
