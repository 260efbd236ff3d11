//! What can be marked together, and what can fire, against all markings of random nets.

use std::collections::BTreeSet;

use pravah_graph::{Firing, Net, NodeId, Place};
use proptest::prelude::*;

use crate::brute_force::{Marking, enabled, fire, start};
use crate::cases::config;
use crate::generate::{Dice, Draft};

/// How many markings are visited before a net is given up as too large.
const LIMIT: usize = 2_000;

/// The markings that can be reached by these firings; none if there are too many.
fn reached(net: &Net, is_allowed: impl Fn(Firing) -> bool) -> Option<BTreeSet<Marking>> {
    let mut reached = BTreeSet::from([start(net)]);
    let mut open = vec![start(net)];
    while let Some(marking) = open.pop() {
        let firings = enabled(net, &marking).into_iter();
        for firing in firings.filter(|firing| is_allowed(*firing)) {
            let next = fire(net, &marking, firing).unwrap();
            if reached.insert(next.clone()) {
                open.push(next);
            }
        }
        if reached.len() > LIMIT {
            return None;
        }
    }
    Some(reached)
}

fn slots(net: &Net) -> Vec<Place> {
    let nodes = (0..net.node_count()).map(NodeId);
    let slots =
        nodes.flat_map(|node| (0..net.slots(node)).map(move |slot| Place::Slot { node, slot }));
    slots.collect()
}

fn can_run(net: &Net, marking: &Marking, node: NodeId) -> bool {
    enabled(net, marking)
        .iter()
        .any(|firing| firing.node == node)
}

proptest! {
    #![proptest_config(config(1_500))]

    #[test]
    fn two_places_are_concurrent_if_some_run_marks_both(seed: u64, size in 1_usize..12) {
        let net = Draft::sound(&mut Dice::new(seed), size).net();
        let Some(markings) = reached(&net, |_| true) else { return Ok(()) };
        let concurrency = net.concurrency();
        for one in slots(&net) {
            for other in slots(&net).into_iter().filter(|other| *other != one) {
                let together = markings.iter().any(|it| it.contains(&one) && it.contains(&other));
                prop_assert_eq!(concurrency.can_be_together(one, other), together, "{:?} {:?}", one, other);
            }
        }
    }

    #[test]
    fn two_nodes_run_side_by_side_if_all_their_slots_are_concurrent(seed: u64, size in 1_usize..12) {
        let net = Draft::sound(&mut Dice::new(seed), size).net();
        let Some(markings) = reached(&net, |_| true) else { return Ok(()) };
        let concurrency = net.concurrency();
        let slots = |node| (0..net.slots(node)).map(move |slot| Place::Slot { node, slot });
        for one in (0..net.node_count()).map(NodeId) {
            for other in (0..one.0).map(NodeId) {
                let together = slots(one).all(|one| slots(other).all(|it| concurrency.can_be_together(one, it)));
                let both = markings.iter().any(|it| can_run(&net, it, one) && can_run(&net, it, other));
                prop_assert_eq!(together, both, "{:?} {:?}", one, other);
            }
        }
    }

    #[test]
    fn a_node_can_fire_without_some_outcomes_if_a_run_without_them_shows_it(
        seed: u64,
        size in 1_usize..14,
        left_out in 1_usize..6,
    ) {
        let mut dice = Dice::new(seed);
        let whole = Draft::sound(&mut dice, size);
        let mut draft = whole.clone();
        for _ in 0..left_out {
            let node = dice.below(draft.nodes.len());
            let outcomes = &mut draft.nodes[node].outcomes;
            if !outcomes.is_empty() {
                outcomes.remove(dice.below(outcomes.len()));
            }
        }
        let net = draft.net();
        let Some(markings) = reached(&net, |_| true) else { return Ok(()) };
        let slots = |node| (0..net.slots(node)).map(move |slot| Place::Slot { node, slot });
        for node in (0..net.node_count()).map(NodeId) {
            let fires = markings.iter().any(|marking| slots(node).all(|slot| marking.contains(&slot)));
            prop_assert_eq!(net.can_fire(net.entry(), node), fires, "{:?}", node);
        }
    }
}

#[test]
fn bits_of_slots_fill_whole_bytes() {
    let mut net = Net::new();
    let fork = net.add_node(1);
    let branches: Vec<NodeId> = (0..8).map(|_| net.add_node(1)).collect();
    let join = net.add_node(8);
    let slot = |node, slot| Place::Slot { node, slot };
    net.set_entry(slot(fork, 0));
    net.add_outcome(fork, branches.iter().map(|it| slot(*it, 0)).collect());
    for (at, branch) in branches.iter().enumerate() {
        net.add_outcome(*branch, vec![slot(join, at)]);
    }
    net.add_outcome(join, vec![Place::Done]);
    let concurrency = net.concurrency();
    let bytes = concurrency.to_bytes(9);
    // Nine slots of two bytes each: the fork is beside nothing, the first branch beside the seven others.
    assert_eq!(bytes.len(), 18);
    assert_eq!(bytes[0..4], [0, 0, 0b1111_1100, 0b1]);
    // With the join there are seventeen.
    assert_eq!(concurrency.to_bytes(10).len(), 51);
    assert!(!concurrency.is_empty());
}
