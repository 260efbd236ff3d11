//! What a lock says of two versions, against loading runs of one into the other.

use proptest::prelude::*;

use super::{
    super::random::config,
    block_on,
    flows::{Block, Dice, Draw},
    load, snapshots,
};
use crate::{Context, FlowLock, LoadOptions};

/// How many runs of a version are made, each with dice of its own.
const RUNS: u64 = 40;

/// The versions of a flow: one, and some that differ from it.
pub(super) fn versions(seed: u64, depth: usize, changes: usize) -> Vec<Block> {
    let dice = Dice::new(seed);
    let mut draw = Draw {
        dice: &dice,
        next: 0,
    };
    let old = draw.block(depth);
    let mut versions = vec![old.clone()];
    for _ in 0..6 {
        let mut new = old.clone();
        for _ in 0..changes {
            draw.change(&mut new);
        }
        versions.push(new);
    }
    versions
}

/// How many of the versions are refused, and of how many of those a run was found that cannot be loaded.
async fn compare(seed: u64, depth: usize, changes: usize) -> (usize, usize) {
    let versions = versions(seed, depth, changes);
    let old = versions[0].known_without_reads();
    let mut texts = Vec::new();
    for run in 0..RUNS {
        let ctx = Context::default().with_dep(Dice::new(seed ^ run));
        texts.extend(snapshots(&old, &ctx, 60).await);
    }
    texts.sort_unstable();
    texts.dedup();
    let mut lock = FlowLock::new("Start");
    lock.add("1", &old.graph);
    let lock = FlowLock::from_json(&lock.to_json()).unwrap();
    let known = LoadOptions::new().with_version(lock.versions()[0].version());
    let (mut refused, mut shown) = (0, 0);
    for (version, block) in versions.iter().enumerate() {
        let new = block.known_without_reads();
        let report = lock.check(&new.graph);
        assert!(version > 0 || report.is_ok(), "{report}");
        let options = [&known, &LoadOptions::new()];
        let loads = texts
            .iter()
            .flat_map(|text| options.map(|options| (text, options)));
        let mut errors =
            loads.filter_map(|(text, options)| Some((text, load(text, &new, options).err()?)));
        match report.is_ok() {
            true => {
                let error = errors.next();
                assert!(error.is_none(), "{error:?}\n{versions:?}\n{block:?}");
            }
            false => {
                refused += 1;
                shown += usize::from(errors.next().is_some());
            }
        }
    }
    (refused, shown)
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn every_run_of_a_version_that_passes_its_lock_is_loaded(
        seed: u64,
        depth in 1_usize..4,
        changes in 1_usize..4,
    ) {
        block_on(compare(seed, depth, changes));
    }
}

#[test]
fn of_a_version_that_fails_its_lock_a_run_is_refused() {
    let (mut refused, mut shown) = (0, 0);
    for seed in 0..60 {
        let depth = usize::try_from(seed % 3).unwrap() + 1;
        let found = block_on(compare(seed, depth, 2));
        refused += found.0;
        shown += found.1;
    }
    // Some places are reached by few runs.
    assert!(
        refused > 100 && shown * 20 > refused * 19,
        "{shown} of {refused}"
    );
}
