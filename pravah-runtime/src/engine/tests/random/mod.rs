//! Random flows, disturbed at random points, end as they would undisturbed, with one body at a time.

mod bodies;
mod commands;
mod fast_path;
mod flow;
mod mutants;
mod play;
pub(super) mod reads;
mod stored;
mod watch;

use std::collections::BTreeMap;

use proptest::prelude::*;

use self::{
    flow::{Kinds, draw},
    play::{Disturbance, LONGEST, Machine, Played, disturbance, play},
};
use crate::{
    Budget, FlowError, FlowGraph, Limit,
    graph::{NodeEntry, ScopeIx},
};

/// One whose clock moves when nothing else does.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
}

/// How many cases a property is tried with; `PROPTEST_CASES` asks for more.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok();
    ProptestConfig {
        cases: asked.and_then(|cases| cases.parse().ok()).unwrap_or(cases),
        failure_persistence: None,
        max_shrink_iters: 300,
        ..ProptestConfig::default()
    }
}

/// Plays a flow undisturbed, one body after another, and then in every other manner.
async fn comes_to_the_same(
    graph: &FlowGraph,
    seed: u64,
    disturbances: &[Disturbance],
) -> Result<(), TestCaseError> {
    let machine = |concurrency| Machine::new(graph, seed, concurrency);
    let Some(expected) = play(machine(1), LONGEST, &[]).await else {
        return Ok(());
    };
    for concurrency in [1, 2, 8, 32] {
        let story = play(machine(concurrency), 5 * LONGEST, disturbances).await;
        prop_assert_eq!(story.as_ref(), Some(&expected));
    }
    Ok(())
}

const NOTHING_FAILS: Kinds = Kinds {
    agents: 8,
    failures: false,
    plain: false,
};

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn a_random_flow_comes_to_the_same_however_it_is_disturbed(
        flow: u64,
        size in 1_usize..10,
        seed: u64,
        disturbances in prop::collection::vec(disturbance(), 0..80),
    ) {
        let graph = draw(flow, size, NOTHING_FAILS);
        runtime().block_on(comes_to_the_same(&graph, seed, &disturbances))?;
    }

    /// Where nodes fail, everything that does not need them goes on.
    #[test]
    fn a_random_flow_with_failing_nodes_gets_as_far_however_it_is_disturbed(
        flow: u64,
        size in 1_usize..10,
        seed: u64,
        disturbances in prop::collection::vec(disturbance(), 0..80),
    ) {
        let failures = Kinds { failures: true, ..NOTHING_FAILS };
        let graph = draw(flow, size, failures);
        runtime().block_on(comes_to_the_same(&graph, seed, &disturbances))?;
    }

    /// No more models are asked than a budget allows, and a larger one is all that a run needs to go on.
    #[test]
    fn a_random_flow_keeps_to_its_budget_and_goes_on_with_a_larger_one(
        flow: u64,
        size in 4_usize..16,
        seed: u64,
        calls in 0_u64..4,
    ) {
        let graph = draw(flow, size, Kinds { agents: 2, ..NOTHING_FAILS });
        runtime().block_on(keeps_to_its_budget(&graph, seed, calls, &[]))?;
    }

    /// An answer that a step is dropped with is not counted, and asked for again.
    #[test]
    fn a_random_flow_keeps_to_its_budget_however_it_is_disturbed(
        flow: u64,
        size in 4_usize..16,
        seed: u64,
        calls in 0_u64..4,
        disturbances in prop::collection::vec(disturbance(), 0..40),
    ) {
        let graph = draw(flow, size, Kinds { agents: 2, ..NOTHING_FAILS });
        runtime().block_on(keeps_to_its_budget(&graph, seed, calls, &disturbances))?;
    }
}

/// Plays a run with a budget of so many calls, and one more whenever it has used them up.
async fn keeps_to_its_budget(
    graph: &FlowGraph,
    seed: u64,
    calls: u64,
    disturbances: &[Disturbance],
) -> Result<(), TestCaseError> {
    let machine = |concurrency| Machine::new(graph, seed, concurrency);
    let Some(expected) = play(machine(1), LONGEST, &[]).await else {
        return Ok(());
    };
    for concurrency in [1, 2, 8] {
        let mut budget = calls;
        let mut machine = machine(concurrency);
        machine.budget = Some(Budget::new().calls(budget));
        let mut played = Played::new(machine);
        played.store();
        let mut disturbances = disturbances.iter().copied();
        let mut lost = 0;
        let end = loop {
            let disturbance = disturbances.next().unwrap_or(Disturbance::None);
            if !matches!(disturbance, Disturbance::None | Disturbance::Idle(_)) {
                lost += concurrency as u64;
            }
            match played.step(disturbance).await {
                None => {}
                Some(Ok(number)) => break number.n,
                Some(Err(error)) => {
                    let is_over = matches!(
                        error,
                        FlowError::Limit {
                            limit: Limit::RunCalls(_),
                            ..
                        }
                    );
                    prop_assert!(is_over, "{error}");
                    let answers = played.machine.fate.answers();
                    prop_assert!((budget..=budget + lost).contains(&answers));
                    budget += 1;
                    let larger = Budget::new().calls(budget);
                    played.machine.budget = Some(larger);
                    played.run = played.run.with_budget(larger);
                    played.stored.apply(played.run.take_changes().unwrap());
                }
            }
            prop_assert!(played.machine.fate.answers() <= budget + lost);
            prop_assert!(played.last < 5 * LONGEST as u64);
        };
        prop_assert_eq!(played.story(Ok(end)), expected.clone());
    }
    Ok(())
}

/// The flows have all kinds of nodes, nested ones that start with one state, and their bodies do run side by
/// side.
#[test]
fn random_flows_are_of_all_kinds() {
    let mut kinds = BTreeMap::<&str, usize>::new();
    let mut note = |kind| *kinds.entry(kind).or_default() += 1;
    for seed in 0..60 {
        let graph = draw(seed, 8, NOTHING_FAILS);
        let machine = Machine::new(&graph, seed, 8);
        let fate = machine.fate.clone();
        if runtime().block_on(play(machine, LONGEST, &[])).is_some() {
            note("ends");
        }
        if fate.most() > 1 {
            note("side by side");
        }
        let table = &graph.table;
        if table.has_shared_states {
            note("states with several takers");
        }
        let is_forked = |node: &NodeEntry| node.outputs.iter().any(|arc| arc.to.len() > 1);
        if table.nodes.iter().any(is_forked) {
            note("states that several nodes get");
        }
        let mut inner = table.scopes.iter();
        if inner.any(|scope| scope.shares_entry_with.is_some()) {
            note("inputs of one state");
        }
        for entry in &table.latest {
            let is_in_flow = entry.scope == ScopeIx::FLOW;
            note(if is_in_flow {
                "reads"
            } else {
                "reads in flows within"
            });
        }
        let captures = table.nodes.iter().flat_map(|node| &node.captures);
        captures.for_each(|_| note("reads of what was made before a list"));
        assert_eq!(table.scope_by_key.len(), table.scopes.len());
        let mut nodes = graph.node_contracts();
        while let Some(node) = nodes.pop() {
            note(node.kind);
            nodes.extend(node.inside);
        }
    }
    let few: Vec<_> = kinds.iter().filter(|(_, count)| **count < 15).collect();
    assert_eq!(few, [], "{kinds:?}");
}
