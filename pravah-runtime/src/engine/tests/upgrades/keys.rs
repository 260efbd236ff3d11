//! The keys of the steps of runs that are taken over by other versions of their flow, once and once more.

use std::{collections::BTreeSet, sync::Arc};

use proptest::prelude::*;

use super::{
    super::super::load_report::LoadOptions,
    super::random::config,
    block_on, ends,
    flows::{Any, Dice, Draw, Keys},
    json, load, start, step,
};
use crate::{Context, FlowRuntime, flow::Known};

/// The run in another version, if it can go on there.
fn taken_over(
    run: &FlowRuntime<Any>,
    (old, new): (&Arc<Known>, &Arc<Known>),
) -> Option<FlowRuntime<Any>> {
    let options = LoadOptions::new().with_version(old.graph.version());
    load(&json(run), new, &options).ok()
}

/// A context for steps that come after those with these keys.
fn after(keys: Vec<String>, seed: u64) -> Context {
    Context::default()
        .with_dep(Dice::new(seed))
        .with_dep(Keys::of(keys))
}

fn taken(ctx: &Context) -> Vec<String> {
    ctx.dep::<Keys>().unwrap().taken()
}

fn check_distinct(ctx: &Context) {
    let keys = taken(ctx);
    let distinct: BTreeSet<&String> = keys.iter().collect();
    assert_eq!(distinct.len(), keys.len(), "{keys:#?}");
}

async fn upgrade_twice(seed: u64, depth: usize, changes: usize) {
    let dice = Dice::new(seed);
    let mut draw = Draw {
        dice: &dice,
        next: 0,
    };
    let mut block = draw.block(depth);
    let mut versions = vec![block.known_without_reads()];
    for _ in 0..2 {
        for _ in 0..changes {
            draw.change(&mut block);
        }
        versions.push(block.known_without_reads());
    }
    let [first, second, third] = &versions[..] else {
        panic!("three versions")
    };
    let ctx = after(Vec::new(), seed ^ 1);
    let mut run = start(first);
    for _ in 0..25 {
        if step(&mut run, &ctx, false).await {
            break;
        }
        let Some(mut next) = taken_over(&run, (first, second)) else {
            continue;
        };
        let next_ctx = after(taken(&ctx), seed ^ 2);
        for _ in 0..1 + dice.below(6) {
            if step(&mut next, &next_ctx, true).await {
                break;
            }
        }
        // The first one again is a deploy that is rolled back.
        for version in [third, first] {
            if let Some(last) = taken_over(&next, (second, version)) {
                let last_ctx = after(taken(&next_ctx), seed ^ 3);
                ends(last, version, &last_ctx).await;
                check_distinct(&last_ctx);
            }
        }
        check_distinct(&next_ctx);
    }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn no_two_steps_of_a_run_have_one_key_whichever_versions_make_them(
        seed: u64,
        depth in 1_usize..4,
        changes in 1_usize..4,
    ) {
        block_on(upgrade_twice(seed, depth, changes));
    }
}
