//! A `catch` around an inlined flow empties it at any time. In the net that is one more outcome of the flow's
//! first node, and markings can finish as if that were all.

use pravah_graph::{Net, NodeId, Place, WayOut};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use crate::cases::config;
use crate::generate::{Dice, Draft, DraftNode};
use crate::markings::Space;
use crate::pairs::Pair;

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn a_flow_that_can_be_emptied_at_any_time_can_finish_as_by_its_definition(
        seed: u64,
        size in 1_usize..5,
        inner in 1_usize..5,
        catches in 1_usize..3,
    ) {
        let mut dice = Dice::new(seed);
        let draft = Draft::sound(&mut dice, size);
        let caught = Caught::draw(draft, &mut dice, inner, catches);
        agrees_with_brute_force(&caught, &mut dice)?;
    }

    #[test]
    fn runs_with_catches_go_on_in_another_net_as_by_the_definition(
        seed: u64,
        size in 1_usize..5,
        inner in 1_usize..4,
        catches in 0_usize..3,
        refinements in 0_usize..3,
    ) {
        let mut dice = Dice::new(seed);
        let draft = Draft::sound(&mut dice, size);
        let mut refined = draft.clone();
        // Before anything is inlined: what is put into a flow later would not be in its scope.
        for _ in 0..refinements {
            refined.refine(&mut dice);
        }
        let caught = Caught::draw(draft, &mut dice, inner, catches);
        let mut changed = match refinements {
            0 => caught.clone(),
            _ => Caught::draw(refined, &mut dice, inner, catches),
        };
        let flow = Draft::sound(&mut dice, inner);
        changed.inline(flow, &mut dice);
        let (old, new) = (caught.draft.net(), changed.draft.net());
        let spaces = || ((&old, caught.space(&old)), (&new, changed.space(&new)));
        let (small, large) = spaces();
        Pair::of_spaces(small, large, &mut dice).agrees_with_brute_force()?;
        let (small, large) = spaces();
        Pair::of_spaces(large, small, &mut dice).agrees_with_brute_force()?;
    }
}

fn agrees_with_brute_force(caught: &Caught, dice: &mut Dice) -> TestCaseResult {
    let net = caught.draft.net();
    let way_out = WayOut::new(&net);
    prop_assert!(way_out.is_some());
    let space = caught.space(&net);
    for tokens in space.candidates(net.entry().unwrap(), dice) {
        if let Some(can_finish) = space.can_finish(&tokens) {
            let marked = space.marked(&tokens);
            let checked = way_out.as_ref().map(|it| it.check(marked.clone()).is_ok());
            prop_assert_eq!(checked, Some(can_finish), "{:?}", marked);
        }
    }
    Ok(())
}

/// A flow with flows inlined in it.
#[derive(Clone)]
struct Caught {
    draft: Draft,
    scopes: Vec<Scope>,
}

#[derive(Clone)]
struct Scope {
    nodes: Vec<usize>,
    /// What is marked when the scope has been emptied.
    handler: Place,
}

impl Caught {
    fn draw(draft: Draft, dice: &mut Dice, inner: usize, catches: usize) -> Self {
        let scopes = Vec::new();
        let mut caught = Self { draft, scopes };
        for _ in 0..catches {
            let flow = Draft::sound(dice, inner);
            caught.inline(flow, dice);
        }
        caught
    }

    /// The markings of its net, in which its scopes can be emptied.
    fn space(&self, net: &Net) -> Space {
        let mut space = Space::new(net);
        let number = |place: Place| space.places.binary_search(&place).unwrap();
        let scope = |scope: &Scope| {
            let is_inside = |&at: &usize| match space.places[at] {
                Place::Slot { node, .. } => scope.nodes.contains(&node.0),
                Place::Done => false,
            };
            let inside = (0..space.places.len()).filter(is_inside).collect();
            (inside, number(scope.handler))
        };
        space.scopes = self.scopes.iter().map(scope).collect();
        space
    }

    /// Replaces a node by a flow, and catches what fails there. The node keeps its slots and leads to the flow.
    fn inline(&mut self, flow: Draft, dice: &mut Dice) {
        let nodes = &mut self.draft.nodes;
        let node = dice.below(nodes.len());
        let choice = dice.below(nodes[node].outcomes.len());
        let (first, handler) = (nodes.len(), nodes.len() + flow.nodes.len());
        let moved = |place: Place| match place {
            Place::Slot { node, slot } => Place::Slot {
                node: NodeId(node.0 + first),
                slot,
            },
            Place::Done => Place::Done,
        };
        let entry = moved(flow.entry);
        let Place::Slot { node: start, .. } = entry else {
            return;
        };
        let after = std::mem::replace(&mut nodes[node].outcomes[choice], vec![entry]);
        for inner in flow.nodes {
            let go_on = |place| match moved(place) {
                Place::Done => after.clone(),
                place => vec![place],
            };
            let outcomes = inner.outcomes.into_iter();
            nodes.push(DraftNode {
                slots: inner.slots,
                outcomes: outcomes
                    .map(|outputs| outputs.into_iter().flat_map(go_on).collect())
                    .collect(),
            });
        }
        let slot = Place::Slot {
            node: NodeId(handler),
            slot: 0,
        };
        nodes[start.0].outcomes.push(vec![slot]);
        nodes.push(DraftNode {
            slots: 1,
            outcomes: vec![after],
        });
        // What is inlined in a flow is inside of what that is inlined in.
        for scope in &mut self.scopes {
            if scope.nodes.contains(&node) {
                scope.nodes.extend(first..=handler);
            }
        }
        self.scopes.push(Scope {
            nodes: (first..handler).collect(),
            handler: slot,
        });
    }
}
