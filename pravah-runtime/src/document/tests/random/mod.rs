//! Random documents do what a small interpreter of P1 says, however their runs are disturbed.

mod changed;
mod compare;
mod dice;
mod document;
mod frame;
mod inside;
mod members;
mod play;
mod reference;
mod rounds;

use std::collections::BTreeMap;

use pravah_document::Member;
use proptest::prelude::*;

use self::{
    changed::changed,
    compare::{check_rules, check_steps},
    dice::Dice,
    document::{Kinds, draw},
    play::{Manner, Played, flow, play},
    reference::story,
};
use crate::{
    engine::tests::random::{config, runtime},
    graph::{NodeKind, Table},
};

const IN_TURN: Manner = Manner {
    seed: 0,
    concurrency: 1,
    restores: false,
    drops: false,
    sleeps: false,
};

/// The manners of playing in which steps come in the order of P1.5.
fn in_order(seed: u64) -> [Manner; 3] {
    let manner = Manner { seed, ..IN_TURN };
    [
        manner,
        Manner {
            restores: true,
            ..manner
        },
        Manner {
            restores: true,
            drops: true,
            ..manner
        },
    ]
}

proptest! {
    #![proptest_config(config(60))]

    /// P1.5: merges that take the first edge too.
    #[test]
    fn a_random_document_makes_the_steps_of_the_reference_in_their_order(
        document: u64,
        size in 1_usize..15,
        first: bool,
        seed: u64,
    ) {
        let drawn = draw(document, size, Kinds { first, names_sources: false });
        let Some((expected, _)) = story(&drawn) else {
            return Ok(());
        };
        let flow = flow(&drawn);
        for manner in in_order(seed) {
            let played = runtime().block_on(play(&flow, manner));
            prop_assert_eq!(&played, &expected, "{:?}", manner);
        }
    }

    /// Where no merge takes the first edge the outcome depends on no order.
    #[test]
    fn a_random_document_comes_to_the_same_however_it_is_disturbed(
        document: u64,
        size in 1_usize..15,
        seed: u64,
    ) {
        let drawn = draw(document, size, Kinds { first: false, names_sources: false });
        let Some((expected, is_aborted)) = story(&drawn) else {
            return Ok(());
        };
        let expected = expected.settled(is_aborted);
        let flow = flow(&drawn);
        for manner in in_any_order(seed) {
            let played = runtime().block_on(play(&flow, manner));
            let settled = played.settled(is_aborted);
            prop_assert_eq!(&settled, &expected, "{:?}", manner);
        }
    }

    /// Whichever edge is the first.
    #[test]
    fn a_random_document_keeps_to_the_rules(
        document: u64,
        size in 1_usize..15,
        seed: u64,
    ) {
        let drawn = draw(document, size, Kinds { first: true, names_sources: true });
        if story(&drawn).is_none() {
            return Ok(());
        }
        let flow = flow(&drawn);
        check_sound(&flow.graph().table);
        for manner in in_any_order(seed) {
            let played = runtime().block_on(play(&flow, manner));
            check_rules(&drawn, &played);
            check_steps(&drawn, &played);
        }
    }

    /// A run that a changed document takes over goes on to its end.
    #[test]
    fn a_random_document_may_change_while_a_run_waits(
        document: u64,
        size in 1_usize..15,
        seed: u64,
        steps in 0_usize..20,
    ) {
        let drawn = draw(document, size, Kinds { first: true, names_sources: false });
        if story(&drawn).is_none() {
            return Ok(());
        }
        let mut dice = Dice::new(seed);
        let other = changed(&drawn, &mut dice);
        let (old, new) = (flow(&drawn), flow(&other));
        check_sound(&new.graph().table);
        let manner = Manner { seed, ..IN_TURN };
        runtime().block_on(async {
            let mut played = Played::new(&old, manner);
            if !played.play_for(steps).await {
                return;
            }
            for drops in [false, true] {
                let options = crate::LoadOptions::new();
                let options = if drops { options.drop_progress() } else { options };
                if let Ok(run) = new.restore_with(played.snapshot(), &options) {
                    // Whatever it comes to.
                    let _ = Played::of(&new, manner, run).play().await;
                }
            }
        });
    }
}

fn check_sound(table: &Table) {
    assert!(table.way_out().is_some());
    for node in &table.nodes {
        if let NodeKind::Each(each) = &node.kind {
            check_sound(&each.chain.table);
        }
    }
}

/// The manners of playing in which bodies overlap.
fn in_any_order(seed: u64) -> [Manner; 4] {
    let manner = |concurrency, restores, drops| Manner {
        seed,
        concurrency,
        restores,
        drops,
        sleeps: true,
    };
    [
        manner(2, false, true),
        manner(8, false, false),
        manner(8, true, false),
        manner(8, true, true),
    ]
}

/// The documents have everything, and their runs end in every way.
#[test]
fn random_documents_are_of_all_kinds() {
    let mut kinds = BTreeMap::<String, usize>::new();
    for seed in 0..300 {
        let drawn = draw(
            seed,
            8,
            Kinds {
                first: true,
                names_sources: false,
            },
        );
        let mut note = |kind: String| *kinds.entry(kind).or_default() += 1;
        for member in &drawn.document.graph.members {
            note(match member {
                Member::Node(node) => node.type_name.clone(),
                Member::Repeat(_) => "repeat".to_owned(),
            });
        }
        let Some((story, is_aborted)) = story(&drawn) else {
            continue;
        };
        note(
            if story.end.is_ok() {
                "ends"
            } else {
                "is stopped"
            }
            .to_owned(),
        );
        if is_aborted {
            note("is aborted".to_owned());
        }
        for step in story.steps {
            let kind = step.rsplit(' ').next().unwrap_or_default().to_owned();
            note(kind);
        }
    }
    let few: Vec<_> = kinds.iter().filter(|(_, count)| **count < 10).collect();
    assert_eq!(few, [], "{kinds:?}");
    assert_eq!(kinds.len(), 18, "{kinds:?}");
}
