//! Runs of one version of a flow loaded into others, against what running all of them shows.

mod flows;
mod keys;
mod lock;
mod lock_at_compile_time;
mod oracle;

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::Value;

use self::{
    flows::{Any, Block, Dice, Draw, Number},
    oracle::Oracle,
};
use super::super::{load_report::LoadOptions, run::Run, state::RunState};
use super::random::config;
use crate::{
    Context, FlowError, FlowRuntime, FlowSnapshot, RunOut, flow::Known, graph::LatestIx,
    state::Live,
};

/// How many steps a run makes before it is given up: loops end by chance.
const MAX_STEPS: usize = 2_000;

fn start(known: &Arc<Known>) -> FlowRuntime<Any> {
    let input = Live::new(Number { n: 0 });
    let state = RunState::start(&known.graph.table, input);
    FlowRuntime::around(Run::new(Arc::clone(known), state))
}

fn load(
    json: &str,
    known: &Arc<Known>,
    options: &LoadOptions,
) -> Result<FlowRuntime<Any>, FlowError> {
    let snapshot: FlowSnapshot = serde_json::from_str(json).unwrap();
    let (state, _) = snapshot.restore(&known.graph.table, &known.id, options)?;
    Ok(FlowRuntime::around(Run::restored(Arc::clone(known), state)))
}

fn json(run: &FlowRuntime<Any>) -> String {
    serde_json::to_string(&run.snapshot()).unwrap()
}

/// Makes a step, whatever it needs. Returns whether the run is done.
async fn step(run: &mut FlowRuntime<Any>, ctx: &Context, answers: bool) -> bool {
    match run.next(ctx.clone()).await {
        Ok(RunOut::Done(_)) => true,
        Ok(RunOut::Suspend { tool_id, .. }) if answers => {
            let out = run.resume(ctx.clone(), (tool_id, true)).await;
            matches!(out.unwrap(), RunOut::Done(_))
        }
        Err(FlowError::ResumeRequired(id)) => {
            let out = run.resume(ctx.clone(), (id, true)).await;
            matches!(out.unwrap(), RunOut::Done(_))
        }
        Ok(_) | Err(FlowError::Node { .. }) => false,
        Err(error) => panic!("{error:?}"),
    }
}

/// The snapshots of a run, before each of its steps.
async fn snapshots(known: &Arc<Known>, ctx: &Context, steps: usize) -> Vec<String> {
    let mut run = start(known);
    let mut taken = Vec::new();
    for _ in 0..steps {
        taken.push(json(&run));
        if step(&mut run, ctx, false).await {
            taken.push(json(&run));
            break;
        }
    }
    taken
}

/// The run reaches its end, and reads back the same on the way there.
async fn ends(mut run: FlowRuntime<Any>, known: &Arc<Known>, ctx: &Context) {
    if run.output().unwrap().is_some() {
        return;
    }
    for _ in 0..MAX_STEPS {
        let text = json(&run);
        assert_eq!(
            json(&load(&text, known, &LoadOptions::new()).unwrap()),
            text
        );
        if step(&mut run, ctx, true).await {
            return;
        }
    }
    panic!("it does not end: {}", json(&run));
}

async fn upgrade(seed: u64, depth: usize, changes: usize) {
    let dice = Dice::new(seed);
    let mut draw = Draw {
        dice: &dice,
        next: 0,
    };
    let old = draw.block(depth);
    let mut versions: Vec<Block> = vec![old.clone()];
    for _ in 0..6 {
        let mut new = old.clone();
        for _ in 0..changes {
            draw.change(&mut new);
        }
        versions.push(new);
    }
    let old = old.known(seed);
    let ctx = Context::default().with_dep(Dice::new(seed ^ 1));
    let snapshots = snapshots(&old, &ctx, 25).await;
    for (version, block) in versions.iter().enumerate() {
        // The first is the same version, and every other one lets the same nodes read where it can.
        let new = block.known(seed ^ (version as u64 % 2));
        let oracle = Oracle::new(&new.graph.table);
        for text in &snapshots {
            let expected = oracle.expects(&serde_json::from_str(text).unwrap());
            if version == 0 {
                assert_ne!(expected.strict, Some(false), "{text}");
            }
            for (options, expected) in [
                (LoadOptions::new(), expected.strict),
                (LoadOptions::new().drop_progress(), expected.dropping),
            ] {
                let loaded = load(text, &new, &options);
                let why = loaded.as_ref().err().map(ToString::to_string);
                if let Some(expected) = expected {
                    assert_eq!(loaded.is_ok(), expected, "{why:?}\n{text}\n{block:?}");
                }
                if let Ok(run) = loaded {
                    ends(run, &new, &ctx).await;
                }
            }
        }
    }
}

/// The snapshot without each of the kept states that nothing in it refers to, with their keys.
fn without_kept(text: &str) -> Vec<(String, String)> {
    let snapshot: Value = serde_json::from_str(text).unwrap();
    let keys = snapshot["latest"]
        .as_object()
        .into_iter()
        .flat_map(|kept| kept.keys());
    let keys = keys.filter(|key| !text.contains(&format!(":\"{key}\"")));
    let without = keys.map(|key| {
        let mut snapshot = snapshot.clone();
        snapshot["latest"].as_object_mut().unwrap().remove(key);
        (key.clone(), snapshot.to_string())
    });
    without.collect()
}

/// A snapshot of the same version from which somebody took a kept state is loaded if no run comes to a reader.
async fn lose(seed: u64, depth: usize) -> Result<(), TestCaseError> {
    let dice = Dice::new(seed);
    let mut draw = Draw {
        dice: &dice,
        next: 0,
    };
    let known = draw.block(depth).known(seed);
    let table = &known.graph.table;
    let oracle = Oracle::new(table);
    let ctx = Context::default().with_dep(Dice::new(seed ^ 1));
    for text in snapshots(&known, &ctx, 25).await {
        for (key, text) in without_kept(&text) {
            let expected = oracle.expects(&serde_json::from_str(&text).unwrap());
            let loaded = load(&text, &known, &LoadOptions::new());
            let why = loaded.as_ref().err().map(ToString::to_string);
            if let Some(expected) = expected.strict {
                prop_assert_eq!(loaded.is_ok(), expected, "{:?}\n{}", why, text);
            }
            let mut latest = (0..).map(LatestIx).zip(&table.latest);
            let latest = latest.find(|(_, entry)| *entry.key == *key).unwrap();
            let mut nodes = table.nodes.iter().filter(|node| {
                let mut captures = node.captures.iter();
                node.reads.contains(&latest.0) || captures.any(|(around, _)| *around == latest.0)
            });
            let says = |id: &str| {
                let state = &latest.1.state;
                let says =
                    format!("`{id}` reads `Latest<{state}>`, but the snapshot has no `{state}`");
                why.as_ref().is_some_and(|why| why.contains(&says))
            };
            prop_assert!(
                loaded.is_ok() || nodes.any(|node| says(&node.id)),
                "{:?}",
                why
            );
            if let Ok(run) = loaded {
                ends(run, &known, &ctx).await;
            }
        }
    }
    Ok(())
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(future)
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn runs_of_a_flow_are_taken_over_by_another_version_exactly_if_they_can_finish_there(
        seed: u64,
        depth in 1_usize..4,
        changes in 1_usize..4,
    ) {
        block_on(upgrade(seed, depth, changes));
    }

    #[test]
    fn a_run_that_has_lost_what_is_kept_is_refused_exactly_if_it_can_come_to_a_reader(
        seed: u64,
        depth in 1_usize..4,
    ) {
        block_on(lose(seed, depth))?;
    }
}
