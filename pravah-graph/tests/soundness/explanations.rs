//! Why a marking cannot finish: what is named is a cause, and what is proposed helps.

use std::collections::BTreeSet;

use pravah_graph::{CannotFinish, Cause, Net, NodeId, Place, Repair, WayOut};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use crate::cases::config;
use crate::generate::{Dice, Draft};
use crate::markings::{Space, slots};
use crate::shapes;

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn a_refusal_names_a_cause_and_every_repair(seed: u64, size in 1_usize..10) {
        let mut dice = Dice::new(seed);
        let net = Draft::sound(&mut dice, size).net();
        is_explained(&net, &mut dice)?;
    }
}

#[test]
fn a_refusal_in_loops_and_other_shapes_names_a_cause_and_every_repair() {
    for size in 3..7 {
        for (_, net) in shapes::sound(size) {
            is_explained(&net, &mut Dice::new(1)).unwrap();
        }
    }
}

fn is_explained(net: &Net, dice: &mut Dice) -> TestCaseResult {
    let way_out = WayOut::new(net).unwrap();
    let explained = Explained {
        net,
        space: &Space::new(net),
        way_out: &way_out,
    };
    let entry = net.entry().unwrap();
    for tokens in explained.space.candidates(entry, dice) {
        let marked = explained.space.marked(&tokens);
        if let Err(CannotFinish { cause, repairs, .. }) = way_out.check(marked.iter().copied()) {
            explained.has_cause(&marked, &cause)?;
            prop_assert_eq!(&repairs, &explained.repairs(&marked), "{:?}", marked);
            for repair in repairs {
                let repaired = explained.space.tokens(repaired(&marked, repair));
                prop_assert_ne!(explained.space.can_finish(&repaired), Some(false));
            }
        }
    }
    Ok(())
}

struct Explained<'a> {
    net: &'a Net,
    space: &'a Space,
    way_out: &'a WayOut,
}

impl Explained<'_> {
    fn has_cause(&self, marked: &[Place], cause: &Cause) -> TestCaseResult {
        match cause {
            Cause::Empty => prop_assert_eq!(marked, &[]),
            Cause::Incomplete {
                node,
                filled,
                missing,
                sources,
            } => {
                prop_assert!(!filled.is_empty() && !missing.is_empty());
                let all: BTreeSet<&Place> = filled.iter().chain(missing).collect();
                prop_assert!(all.into_iter().copied().eq(slots(self.net, *node)));
                prop_assert_eq!(filled.len() + missing.len(), self.net.slots(*node));
                prop_assert!(!marked.iter().any(|place| sources.contains(place)));
                prop_assert!(missing.iter().all(|place| sources.contains(place)));
                prop_assert!(sources.is_sorted());
                for source in sources {
                    prop_assert!(self.leads_to(*source, missing), "{:?}", source);
                    let whole = slots(self.net, owner(*source)).all(|it| sources.contains(&it));
                    prop_assert!(whole || missing.contains(source), "{:?}", source);
                }
                self.waits_for_ever(marked, filled, missing)?;
            }
            Cause::Surplus {
                marked: too,
                one_of,
            } => {
                let found = marked.iter().filter(|place| one_of.contains(place));
                prop_assert!(found.eq(too) && too.len() > 1);
                prop_assert!(one_of.is_sorted());
                self.are_alternatives(one_of)?;
            }
            other => prop_assert!(false, "{:?}", other),
        }
        Ok(())
    }

    /// Whether arcs lead from there to a slot.
    fn leads_to(&self, from: Place, to: &[Place]) -> bool {
        let mut known = BTreeSet::from([from]);
        let mut open = vec![from];
        while let Some(place) = open.pop() {
            if to.contains(&place) {
                return true;
            }
            if let Place::Slot { node, .. } = place {
                let outputs = self.net.outcomes(node).iter().flatten();
                open.extend(outputs.filter(|&&output| known.insert(output)));
            }
        }
        false
    }

    /// Some run comes to mark all that is `filled`, none ever what is `missing`.
    fn waits_for_ever(
        &self,
        marked: &[Place],
        filled: &[Place],
        missing: &[Place],
    ) -> TestCaseResult {
        let start = self.space.tokens(marked.iter().copied());
        let Some(reached) = self.space.reached(&start) else {
            return Ok(());
        };
        let (filled, missing) = (self.numbers(filled), self.numbers(missing));
        let mut markings = reached.markings.iter();
        prop_assert!(markings.any(|tokens| filled.iter().all(|&it| tokens[it] > 0)));
        let mut markings = reached.markings.iter();
        prop_assert!(markings.all(|tokens| missing.iter().all(|&it| tokens[it] == 0)));
        Ok(())
    }

    /// A run from the entry always marks exactly one of them.
    fn are_alternatives(&self, places: &[Place]) -> TestCaseResult {
        let start = self.space.tokens(self.net.entry());
        let places = self.numbers(places);
        for tokens in self
            .space
            .reached(&start)
            .into_iter()
            .flat_map(|it| it.markings)
        {
            let count: u16 = places.iter().map(|&it| tokens[it]).sum();
            prop_assert_eq!(count, 1, "{:?}", tokens);
        }
        Ok(())
    }

    fn numbers(&self, places: &[Place]) -> Vec<usize> {
        let number = |place| self.space.places.binary_search(place).unwrap();
        places.iter().map(number).collect()
    }

    /// All changes of one token that help, found by trying.
    fn repairs(&self, marked: &[Place]) -> Vec<Repair> {
        let places = &self.space.places;
        let mut all: Vec<Repair> = places.iter().map(|&place| Repair::Mark(place)).collect();
        let mut distinct = marked.to_vec();
        distinct.dedup();
        for from in distinct {
            all.push(Repair::Unmark(from));
            all.extend(places.iter().map(|&to| Repair::Move { from, to }));
        }
        let helps = |repair: &Repair| self.way_out.check(repaired(marked, *repair)).is_ok();
        all.into_iter().filter(helps).collect()
    }
}

fn owner(place: Place) -> NodeId {
    match place {
        Place::Slot { node, .. } => node,
        Place::Done => panic!("done belongs to no node"),
    }
}

fn repaired(marked: &[Place], repair: Repair) -> Vec<Place> {
    let (from, to) = match repair {
        Repair::Mark(to) => (None, Some(to)),
        Repair::Unmark(from) => (Some(from), None),
        Repair::Move { from, to } => (Some(from), Some(to)),
        _ => panic!("{repair:?}"),
    };
    let mut marked = marked.to_vec();
    if let Some(from) = from {
        let at = marked.iter().position(|place| *place == from).unwrap();
        marked.remove(at);
    }
    marked.extend(to);
    marked
}

/// plan -> fork(draft, research) -> both -> review -> either(done, plan)
fn report() -> (Net, WayOut, [Place; 6]) {
    let mut net = Net::new();
    let [plan, draft, research, review] = [(); 4].map(|()| net.add_node(1));
    let both = net.add_node(2);
    let slot = |node, slot| Place::Slot { node, slot };
    net.set_entry(slot(plan, 0));
    net.add_outcome(plan, vec![slot(draft, 0), slot(research, 0)]);
    net.add_outcome(draft, vec![slot(both, 0)]);
    net.add_outcome(research, vec![slot(both, 1)]);
    net.add_outcome(both, vec![slot(review, 0)]);
    net.add_outcome(review, vec![Place::Done]);
    net.add_outcome(review, vec![slot(plan, 0)]);
    let way_out = WayOut::new(&net).unwrap();
    let places = [
        slot(plan, 0),
        slot(draft, 0),
        slot(research, 0),
        slot(review, 0),
        slot(both, 0),
        slot(both, 1),
    ];
    (net, way_out, places)
}

#[test]
fn a_join_that_lacks_a_branch_names_where_it_would_come_from() {
    let (_, way_out, [plan, draft, research, _, first, second]) = report();
    let error = way_out.check([draft]).unwrap_err();
    assert_eq!(
        error.cause,
        Cause::Incomplete {
            node: owner(first),
            filled: vec![first],
            missing: vec![second],
            sources: vec![plan, research, second],
        }
    );
    let marks = [research, second].map(Repair::Mark);
    assert_eq!(error.repairs[..2], marks);
}

#[test]
fn alternatives_that_are_marked_together_are_named_with_the_others() {
    let (_, way_out, [plan, draft, research, review, first, _]) = report();
    let error = way_out.check([review, draft, research]).unwrap_err();
    assert_eq!(
        error.cause,
        Cause::Surplus {
            marked: vec![draft, review],
            one_of: vec![plan, draft, review, first, Place::Done],
        }
    );
    assert_eq!(error.repairs, [Repair::Unmark(review)]);
}

#[test]
fn two_tokens_of_one_branch_can_be_told_apart_by_moving_one() {
    let (_, way_out, [_, draft, research, _, first, second]) = report();
    let error = way_out.check([first, draft]).unwrap_err();
    let Cause::Surplus { marked, .. } = error.cause else {
        panic!()
    };
    assert_eq!(marked, [draft, first]);
    let moves = [draft, first]
        .into_iter()
        .flat_map(|from| [research, second].map(|to| Repair::Move { from, to }));
    assert!(error.repairs.into_iter().eq(moves));
}

#[test]
fn done_beside_something_else_is_a_surplus() {
    let (_, way_out, [plan, ..]) = report();
    let error = way_out.check([Place::Done, plan]).unwrap_err();
    let Cause::Surplus { marked, .. } = error.cause else {
        panic!()
    };
    assert_eq!(marked, [plan, Place::Done]);
    assert_eq!(error.repairs, [plan, Place::Done].map(Repair::Unmark));
}

#[test]
fn an_empty_marking_can_be_started_again_anywhere_before_the_fork_or_behind_the_join() {
    let (_, way_out, [plan, _, _, review, ..]) = report();
    let error = way_out.check([]).unwrap_err();
    assert_eq!(error.cause, Cause::Empty);
    let marks = [plan, review, Place::Done].map(Repair::Mark);
    assert_eq!(error.repairs, marks);
}

#[test]
fn what_takes_more_than_one_change_has_no_repair() {
    let (_, way_out, [plan, draft, ..]) = report();
    assert_eq!(way_out.check([plan, draft, draft]).unwrap_err().repairs, []);
}

#[test]
fn the_order_of_what_is_marked_makes_no_difference() {
    let (_, way_out, [plan, draft, research, ..]) = report();
    let unknown = Place::Slot {
        node: NodeId(99),
        slot: 0,
    };
    for mut marked in [
        vec![plan, draft, research],
        vec![unknown, draft, Place::Done],
    ] {
        let error = way_out.check(marked.iter().copied());
        marked.reverse();
        assert_eq!(way_out.check(marked), error);
    }
}

#[test]
fn a_refusal_in_a_large_net_is_explained() {
    for (name, net) in shapes::sound(1_000) {
        let way_out = WayOut::new(&net).unwrap();
        let entry = net.entry().unwrap();
        let error = way_out.check([entry, entry]).unwrap_err();
        assert!(matches!(error.cause, Cause::Surplus { .. }), "{name}");
        assert_eq!(error.repairs, [Repair::Unmark(entry)], "{name}");
    }
}
