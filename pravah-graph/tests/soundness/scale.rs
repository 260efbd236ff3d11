//! Nets of a thousand nodes are decided, and their mistakes explained.

use pravah_graph::Finding;

use crate::generate::{Dice, Draft};
use crate::shapes;

const NODES: usize = 1_000;

#[test]
fn large_sound_nets_are_accepted() {
    for (name, net) in shapes::sound(NODES) {
        assert_eq!(net.check(), [], "{name}");
    }
}

#[test]
fn large_nets_made_by_refinement_are_accepted() {
    for seed in 0..10 {
        let draft = Draft::sound(&mut Dice::new(seed), NODES);
        assert_eq!(draft.net().check(), [], "seed {seed}");
    }
}

#[test]
fn the_mistake_in_a_large_net_is_explained_by_a_run() {
    for (name, net) in shapes::unsound(NODES) {
        let findings = net.check();
        assert_eq!(findings.len(), 1, "{name}");
        let unexplained = matches!(findings[0], Finding::Unsound { .. });
        assert!(!unexplained, "{name}: {findings:?}");
    }
}
