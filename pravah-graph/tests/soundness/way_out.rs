//! Which markings can finish, against the definition: every marking from there on is visited.

use std::collections::{BTreeMap, BTreeSet};

use pravah_graph::{Net, NodeId, Place, WayOut};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::generate::{Dice, Draft};
use crate::shapes;

/// How often each place is marked.
type Marks = BTreeMap<Place, usize>;

/// How many markings are visited before one is given up as too large.
const LIMIT: usize = 2_000;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1_000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_marking_of_up_to_three_marks_can_finish_as_by_its_definition(
        seed: u64,
        size in 1_usize..7,
    ) {
        let net = Draft::sound(&mut Dice::new(seed), size).net();
        let way_out = WayOut::new(&net).unwrap();
        for marked in markings(&net, 3) {
            if let Some(finishes) = finishes(&net, &marked) {
                prop_assert_eq!(way_out.can_finish(marked.clone()), finishes, "{:?}", marked);
            }
        }
    }

    // A second decision of soundness, which knows nothing of the first.
    #[test]
    fn a_net_is_sound_if_its_start_and_its_outcomes_agree_with_its_way_out(
        seed: u64,
        size in 1_usize..16,
        mutations in 0_usize..4,
    ) {
        let mut dice = Dice::new(seed);
        let mut draft = Draft::sound(&mut dice, size);
        for _ in 0..mutations {
            draft.mutate(&mut dice);
        }
        let net = draft.net();
        prop_assert_eq!(net.check().is_empty(), is_sound(&net));
    }

    #[test]
    fn a_net_without_plan_is_sound_if_it_agrees_with_its_way_out(seed: u64, size in 1_usize..7) {
        let net = Draft::any(&mut Dice::new(seed), size).net();
        prop_assert_eq!(net.check().is_empty(), is_sound(&net));
    }
}

/// Whether all nodes are connected, and the start and all outcomes agree with the way out.
fn is_sound(net: &Net) -> bool {
    let Some(way_out) = WayOut::new(net) else {
        return false;
    };
    let mut reached = BTreeSet::new();
    let mut open: Vec<Place> = net.entry().into_iter().collect();
    while let Some(place) = open.pop() {
        if let Place::Slot { node, .. } = place
            && reached.insert(node)
        {
            open.extend(net.outcomes(node).iter().flatten());
        }
    }
    let agree = |node| {
        let mut outcomes = net.outcomes(node).iter();
        outcomes
            .all(|outputs| way_out.are_interchangeable(slots(net, node), outputs.iter().copied()))
    };
    reached.len() == net.node_count()
        && net.entry().is_some_and(|entry| way_out.can_finish([entry]))
        && (0..net.node_count()).map(NodeId).all(agree)
}

fn slots(net: &Net, node: NodeId) -> impl Iterator<Item = Place> {
    (0..net.slots(node)).map(move |slot| Place::Slot { node, slot })
}

/// All markings of at most so many marks.
fn markings(net: &Net, most: usize) -> Vec<Vec<Place>> {
    let nodes = (0..net.node_count()).map(NodeId);
    let mut places: Vec<Place> = nodes.flat_map(|node| slots(net, node)).collect();
    places.push(Place::Done);
    // Larger nets have too many places for three marks.
    let most = if places.len() > 8 { 2 } else { most };
    let mut all = vec![Vec::new()];
    let mut last: Vec<(usize, Vec<Place>)> = vec![(0, Vec::new())];
    for _ in 0..most {
        let more = last.iter().flat_map(|(from, marked)| {
            let places = places.iter().enumerate().skip(*from);
            places.map(move |(at, place)| (at, [marked.as_slice(), &[*place]].concat()))
        });
        last = more.collect();
        all.extend(last.iter().map(|(_, marked)| marked.clone()));
    }
    all
}

/// Whether every run from here can end with done alone, and is done only so; `None` if that is too much
/// to visit.
fn finishes(net: &Net, marked: &[Place]) -> Option<bool> {
    let mut start = Marks::new();
    for place in marked {
        *start.entry(*place).or_default() += 1;
    }
    let finished = Marks::from([(Place::Done, 1)]);
    let mut known = BTreeSet::from([start.clone()]);
    let mut before: BTreeMap<Marks, Vec<Marks>> = BTreeMap::new();
    let mut open = vec![start];
    while let Some(marks) = open.pop() {
        if known.len() > LIMIT {
            return None;
        }
        if marks.contains_key(&Place::Done) && marks != finished {
            return Some(false);
        }
        for next in after(net, &marks) {
            before.entry(next.clone()).or_default().push(marks.clone());
            if known.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    let mut can = BTreeSet::from([finished.clone()]);
    let mut open = vec![finished];
    while let Some(marks) = open.pop() {
        for earlier in before.get(&marks).into_iter().flatten() {
            if can.insert(earlier.clone()) {
                open.push(earlier.clone());
            }
        }
    }
    Some(known.is_subset(&can))
}

/// The markings after one firing.
fn after(net: &Net, marks: &Marks) -> Vec<Marks> {
    let mut all = Vec::new();
    for node in (0..net.node_count()).map(NodeId) {
        let slots: Vec<Place> = slots(net, node).collect();
        if !slots.iter().all(|slot| marks.contains_key(slot)) {
            continue;
        }
        for outputs in net.outcomes(node) {
            let mut next = marks.clone();
            for slot in &slots {
                match next.get_mut(slot) {
                    Some(count) if *count > 1 => *count -= 1,
                    _ => drop(next.remove(slot)),
                }
            }
            for place in outputs {
                *next.entry(*place).or_default() += 1;
            }
            all.push(next);
        }
    }
    all
}

#[test]
fn the_start_of_a_sound_net_can_finish_and_nothing_beside_it() {
    for (name, net) in shapes::sound(200) {
        let way_out = WayOut::new(&net).unwrap();
        let start = net.entry().unwrap();
        assert!(way_out.can_finish([start]), "{name}");
        assert!(!way_out.can_finish([start, start]), "{name}");
        assert!(!way_out.can_finish([start, Place::Done]), "{name}");
        assert!(!way_out.can_finish([]), "{name}");
        assert!(way_out.can_finish([Place::Done]), "{name}");
    }
}

#[test]
fn a_place_that_the_net_does_not_have_cannot_finish() {
    let mut net = Net::new();
    let node = net.add_node(1);
    net.add_outcome(node, vec![Place::Done]);
    net.set_entry(Place::Slot { node, slot: 0 });
    let way_out = WayOut::new(&net).unwrap();
    for (node, slot) in [(0, 1), (1, 0), (usize::MAX, 0), (0, usize::MAX)] {
        let place = Place::Slot {
            node: NodeId(node),
            slot,
        };
        assert!(!way_out.can_finish([place]), "{place:?}");
    }
}

#[test]
fn a_net_without_a_way_to_done_has_no_way_out() {
    let mut net = Net::new();
    let node = net.add_node(1);
    let slot = Place::Slot { node, slot: 0 };
    net.add_outcome(node, vec![slot]);
    net.set_entry(slot);
    assert!(WayOut::new(&net).is_none());
}
