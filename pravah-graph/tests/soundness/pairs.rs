//! Whether all runs of one net can go on in another, against running both.

use std::collections::HashMap;

use pravah_graph::{Firing, Incompatibility, Net, NodeId, Place, WayOut};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use crate::cases::config;
use crate::generate::{Dice, Draft};
use crate::markings::{Space, Tokens};
use crate::shapes;

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn runs_go_on_in_the_net_they_come_from(seed: u64, size in 1_usize..10) {
        let mut dice = Dice::new(seed);
        let net = Draft::sound(&mut dice, size).net();
        prop_assert_eq!(WayOut::new(&net).unwrap().incompatibilities(&net, Some), []);
        Pair::new(&net, &net, &mut dice).agrees_with_brute_force()?;
    }

    #[test]
    fn runs_go_on_in_a_net_with_more_nodes_or_fewer(
        seed: u64,
        size in 1_usize..7,
        more in 1_usize..4,
    ) {
        let mut dice = Dice::new(seed);
        let draft = Draft::sound(&mut dice, size);
        let mut refined = draft.clone();
        for _ in 0..more {
            refined.refine(&mut dice);
        }
        let (small, large) = (draft.net(), refined.net());
        Pair::new(&small, &large, &mut dice).agrees_with_brute_force()?;
        Pair::new(&large, &small, &mut dice).agrees_with_brute_force()?;
    }

    #[test]
    fn runs_go_on_in_a_mutated_net_as_by_the_definition(
        seed: u64,
        size in 1_usize..10,
        mutations in 1_usize..4,
    ) {
        let mut dice = Dice::new(seed);
        let draft = Draft::sound(&mut dice, size);
        let net = draft.net();
        for _ in 0..10 {
            let mut mutated = draft.clone();
            for _ in 0..mutations {
                mutated.mutate(&mut dice);
            }
            let mutated = mutated.net();
            if mutated.check().is_empty() {
                Pair::new(&net, &mutated, &mut dice).agrees_with_brute_force()?;
            }
        }
    }

    #[test]
    fn runs_go_on_in_an_unrelated_net_as_by_the_definition(
        seed: u64,
        old in 1_usize..7,
        new in 1_usize..7,
    ) {
        let mut dice = Dice::new(seed);
        let old = Draft::sound(&mut dice, old).net();
        let new = Draft::sound(&mut dice, new).net();
        Pair::new(&old, &new, &mut dice).agrees_with_brute_force()?;
    }
}

/// Two nets, and where the places of the first are in the second.
pub(crate) struct Pair<'a> {
    old: (&'a Net, Space),
    new: (&'a Net, Space),
    images: HashMap<Place, Option<Place>>,
}

impl<'a> Pair<'a> {
    fn new(old: &'a Net, new: &'a Net, dice: &mut Dice) -> Self {
        Self::of_spaces((old, Space::new(old)), (new, Space::new(new)), dice)
    }

    /// Places keep their names, where the new net has them; but for some, mostly none, chance decides.
    pub(crate) fn of_spaces(old: (&'a Net, Space), new: (&'a Net, Space), dice: &mut Dice) -> Self {
        let (from, to) = (&old.1.places, &new.1.places);
        let kept = |&place: &Place| (place, to.contains(&place).then_some(place));
        let mut images: HashMap<_, _> = from.iter().map(kept).collect();
        for _ in 0..dice.below(8).saturating_sub(4) {
            let place = from[dice.below(from.len() - 1)];
            images.insert(place, to.get(dice.below(to.len() + 1)).copied());
        }
        // What has no place of that name may be anywhere.
        for place in from {
            if images[place].is_none() && dice.below(2) == 0 {
                images.insert(*place, Some(to[dice.below(to.len())]));
            }
        }
        Self { old, new, images }
    }

    pub(crate) fn agrees_with_brute_force(&self) -> TestCaseResult {
        let ((old_net, old), (new_net, new)) = (&self.old, &self.new);
        let start = old.tokens(old_net.entry());
        let Some(reached) = old.reached(&start) else {
            return Ok(());
        };
        let mut known = HashMap::new();
        let mut can_finish = |tokens: &Tokens| {
            let marked = old.marked(tokens).into_iter();
            let image = new.tokens(marked.filter_map(|place| self.images[&place]));
            *known
                .entry(image)
                .or_insert_with_key(|image| new.can_finish(image))
        };
        let named = WayOut::new(new_net)
            .unwrap()
            .incompatibilities(old_net, |place| self.images[&place]);
        if let Some(can_finish) = can_finish(&start) {
            prop_assert_eq!(!can_finish, named.contains(&Incompatibility::Entry));
        }
        for (before, firing, after) in &reached.firings {
            // Nothing is said about what follows a marking that cannot finish.
            if can_finish(before) == Some(true)
                && let Some(can_finish) = can_finish(after)
            {
                let named = named.contains(&Incompatibility::Outcome(*firing));
                prop_assert_eq!(!can_finish, named, "{:?}", firing);
            }
        }
        let verdicts: Option<Vec<bool>> = reached.markings.iter().map(can_finish).collect();
        if let Some(verdicts) = verdicts {
            prop_assert_eq!(verdicts.iter().all(|it| *it), named.is_empty());
        }
        prop_assert!(named.is_sorted());
        Ok(())
    }
}

#[test]
fn a_branch_that_nothing_waits_for_any_more_can_be_dropped() {
    // fork -> (write, check) -> both, which becomes write -> both
    let slot = |node, slot| Place::Slot {
        node: NodeId(node),
        slot,
    };
    let mut old = Net::new();
    let [fork, write, check] = [(); 3].map(|()| old.add_node(1));
    let both = old.add_node(2);
    old.set_entry(slot(0, 0));
    old.add_outcome(fork, vec![slot(1, 0), slot(2, 0)]);
    old.add_outcome(write, vec![slot(3, 0)]);
    old.add_outcome(check, vec![slot(3, 1)]);
    old.add_outcome(both, vec![Place::Done]);
    let mut new = Net::new();
    let [write, both] = [(); 2].map(|()| new.add_node(1));
    new.set_entry(slot(0, 0));
    new.add_outcome(write, vec![slot(1, 0)]);
    new.add_outcome(both, vec![Place::Done]);
    let way_out = WayOut::new(&new).unwrap();
    let image = |place| match place {
        Place::Done => Some(Place::Done),
        place if place == slot(0, 0) || place == slot(1, 0) => Some(slot(0, 0)),
        place if place == slot(3, 0) => Some(slot(1, 0)),
        _ => None,
    };
    assert_eq!(way_out.incompatibilities(&old, image), []);
    // Where it is kept, `both` would get two tokens, until it is joined.
    let kept = |place| match place {
        place if place == slot(2, 0) || place == slot(3, 1) => Some(slot(1, 0)),
        place => image(place),
    };
    let outcome = |node| {
        let node = NodeId(node);
        Incompatibility::Outcome(Firing { node, outcome: 0 })
    };
    assert_eq!(
        way_out.incompatibilities(&old, kept),
        [outcome(0), outcome(3)]
    );
}

#[test]
fn an_entry_without_an_image_and_one_that_the_net_lacks_are_incompatible() {
    let mut net = Net::new();
    let node = net.add_node(1);
    let entry = Place::Slot { node, slot: 0 };
    let unknown = Place::Slot { node, slot: 1 };
    net.set_entry(entry);
    net.add_outcome(node, vec![Place::Done]);
    let way_out = WayOut::new(&net).unwrap();
    let outcome = Incompatibility::Outcome(Firing { node, outcome: 0 });
    for gone in [None, Some(unknown)] {
        let image = |place| if place == entry { gone } else { Some(place) };
        let named = way_out.incompatibilities(&net, image);
        assert_eq!(named, [Incompatibility::Entry, outcome]);
    }
    let named = way_out.incompatibilities(&net, |_| Some(unknown));
    assert_eq!(named, [Incompatibility::Entry, outcome]);
    let named = way_out.incompatibilities(&Net::new(), Some);
    assert_eq!(named, [Incompatibility::Entry]);
}

#[test]
fn runs_of_large_nets_go_on_in_the_nets_they_come_from() {
    for (name, net) in shapes::sound(1_000) {
        let way_out = WayOut::new(&net).unwrap();
        assert_eq!(way_out.incompatibilities(&net, Some), [], "{name}");
    }
}
