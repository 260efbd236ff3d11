//! The fast path changes a run as the other path does.

use proptest::prelude::*;
use serde_json::Value;

use super::{
    super::json,
    NOTHING_FAILS, config,
    flow::{Kinds, draw},
    play::{Disturbance, LONGEST, Machine, Played},
    runtime,
};
use crate::{FlowGraph, StepInfo};

const PLAIN: Kinds = Kinds {
    plain: true,
    ..NOTHING_FAILS
};

/// What holds times: those of two runs are not the same.
const TIMES: [&str; 2] = ["timers", "attempts"];

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn each_step_of_a_random_flow_is_the_same_with_and_without_the_fast_path(
        flow: u64,
        size in 1_usize..10,
        seed: u64,
        failures: bool,
    ) {
        let graph = draw(flow, size, Kinds { failures, ..PLAIN });
        let snapshots = |is_watched| runtime().block_on(snapshots(&graph, seed, is_watched));
        let (with, without) = (snapshots(false), snapshots(true));
        for (with, without) in with.iter().zip(&without) {
            prop_assert_eq!(with, without);
        }
        prop_assert_eq!(with.len(), without.len());
    }
}

/// The snapshot after each step of a run, and what is said of that step. Where somebody watches, no step takes the fast path.
async fn snapshots(
    graph: &FlowGraph,
    seed: u64,
    is_watched: bool,
) -> Vec<(Value, Option<StepInfo>)> {
    let mut machine = Machine::new(graph, seed, 1);
    machine.fate.functions_hang = false;
    machine.is_watched = is_watched;
    let mut played = Played::new(machine);
    let mut snapshots = Vec::new();
    for _ in 0..LONGEST {
        let end = played.step(Disturbance::None).await;
        let mut snapshot = json(&played.run);
        remove_times(&mut snapshot);
        snapshots.push((snapshot, played.run.last_step()));
        if end.is_some() {
            break;
        }
    }
    snapshots
}

fn remove_times(json: &mut Value) {
    match json {
        Value::Object(fields) => {
            for section in TIMES {
                fields.remove(section);
            }
            fields.values_mut().for_each(remove_times);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_times),
        _ => {}
    }
}

#[test]
fn some_nodes_of_those_flows_can_take_the_fast_path() {
    let can_take_it = |seed| {
        let graph = draw(seed, 8, PLAIN);
        let nodes = graph.table.nodes.iter();
        nodes.filter(|node| node.plain_move.is_some()).count()
    };
    let nodes: usize = (0..60).map(can_take_it).sum();
    assert!(nodes > 120, "{nodes}");
}
