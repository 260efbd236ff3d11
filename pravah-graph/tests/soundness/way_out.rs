//! Which markings can finish, against the definition, and which nets are sound, against the reduction.

use pravah_graph::{Cause, Net, NodeId, Place, Repair, WayOut};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use crate::cases::config;
use crate::generate::{Dice, Draft};
use crate::markings::Space;
use crate::shapes;

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn a_marking_can_finish_as_by_its_definition(seed: u64, size in 1_usize..10) {
        let mut dice = Dice::new(seed);
        agrees_with_brute_force(&Draft::sound(&mut dice, size).net(), &mut dice)?;
    }
}

proptest! {
    #![proptest_config(config(2_500))]

    #[test]
    fn mutated_nets_have_a_way_out_if_they_are_sound(
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
        prop_assert_eq!(net.check().is_empty(), WayOut::new(&net).is_some());
    }

    #[test]
    fn nets_without_plan_have_a_way_out_if_they_are_sound(seed: u64, size in 1_usize..7) {
        let net = Draft::any(&mut Dice::new(seed), size).net();
        prop_assert_eq!(net.check().is_empty(), WayOut::new(&net).is_some());
    }
}

fn agrees_with_brute_force(net: &Net, dice: &mut Dice) -> TestCaseResult {
    let way_out = WayOut::new(net).unwrap();
    let space = Space::new(net);
    for tokens in space.candidates(net.entry().unwrap(), dice) {
        if let Some(can_finish) = space.can_finish(&tokens) {
            let marked = space.marked(&tokens);
            let checked = way_out.check(marked.iter().copied());
            prop_assert_eq!(checked.is_ok(), can_finish, "{:?}", marked);
        }
    }
    Ok(())
}

#[test]
fn markings_of_loops_and_other_shapes_can_finish_as_by_their_definition() {
    for size in 3..8 {
        for (_, net) in shapes::sound(size) {
            agrees_with_brute_force(&net, &mut Dice::new(1)).unwrap();
        }
    }
}

#[test]
fn large_nets_have_a_way_out_if_they_are_sound() {
    for (name, net) in shapes::sound(1_000) {
        assert!(WayOut::new(&net).is_some(), "{name}");
    }
    for (name, net) in shapes::unsound(1_000) {
        assert!(WayOut::new(&net).is_none(), "{name}");
    }
}

#[test]
fn the_start_of_a_sound_net_can_finish_and_nothing_beside_it() {
    for (name, net) in shapes::sound(200) {
        let way_out = WayOut::new(&net).unwrap();
        let start = net.entry().unwrap();
        assert_eq!(way_out.check([start]), Ok(()), "{name}");
        assert_eq!(way_out.check([Place::Done]), Ok(()), "{name}");
        assert!(way_out.check([start, start]).is_err(), "{name}");
        assert!(way_out.check([start, Place::Done]).is_err(), "{name}");
        assert!(way_out.check([]).is_err(), "{name}");
    }
}

#[test]
fn no_number_of_tokens_overflows() {
    let (_, net) = shapes::sound(10).remove(1);
    let way_out = WayOut::new(&net).unwrap();
    let start = net.entry().unwrap();
    assert!(way_out.check(vec![start; 100_000]).is_err());
}

#[test]
fn a_place_that_the_net_does_not_have_cannot_finish() {
    let (net, entry) = single();
    let way_out = WayOut::new(&net).unwrap();
    for (node, slot) in [(0, 1), (1, 0), (usize::MAX, 0), (0, usize::MAX)] {
        let node = NodeId(node);
        let unknown = Place::Slot { node, slot };
        let error = way_out.check([unknown]).unwrap_err();
        let places = vec![unknown];
        assert_eq!(error.cause, Cause::UnknownPlaces { places });
        let from = unknown;
        let moves = [entry, Place::Done].map(|to| Repair::Move { from, to });
        assert_eq!(error.repairs, moves);
        assert!(!way_out.are_interchangeable([unknown], [unknown]));

        let error = way_out.check([entry, unknown]).unwrap_err();
        assert_eq!(error.repairs, [Repair::Unmark(unknown)]);
        let error = way_out.check([unknown, entry, unknown]).unwrap_err();
        assert_eq!(error.repairs, []);
    }
}

fn single() -> (Net, Place) {
    let mut net = Net::new();
    let node = net.add_node(1);
    let entry = Place::Slot { node, slot: 0 };
    net.add_outcome(node, vec![Place::Done]);
    net.set_entry(entry);
    (net, entry)
}

#[test]
fn a_net_that_is_malformed_has_no_way_out() {
    let (mut net, _) = single();
    net.add_outcome(NodeId(7), vec![Place::Done]);
    assert!(WayOut::new(&net).is_none());
    let (mut net, _) = single();
    let node = NodeId(7);
    net.set_entry(Place::Slot { node, slot: 0 });
    assert!(WayOut::new(&net).is_none());
    assert!(WayOut::new(&Net::new()).is_none());
}

// What a token in the first place is pushed to would not fit any integer.
#[test]
fn a_net_that_doubles_its_tokens_again_and_again_has_no_way_out() {
    let mut net = Net::new();
    let mut next = Place::Done;
    for _ in 0..200 {
        let node = net.add_node(1);
        net.add_outcome(node, vec![next, next]);
        next = Place::Slot { node, slot: 0 };
    }
    net.set_entry(next);
    assert!(WayOut::new(&net).is_none());
}

#[test]
fn a_net_that_loops_forever_has_no_way_out() {
    let mut net = Net::new();
    let node = net.add_node(1);
    let slot = Place::Slot { node, slot: 0 };
    net.add_outcome(node, vec![slot]);
    net.set_entry(slot);
    assert!(WayOut::new(&net).is_none());
}
