//! How often a run allocates, so that nobody makes a step or a load dearer without knowing. A count is the same on every
//! machine, as a time is not.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use allocation_counter::measure;
use futures_util::FutureExt as _;
use pravah_runtime::prelude::*;

#[state]
struct Order {
    cups: u64,
}

#[state]
struct Brewed {
    cups: u64,
}

#[state]
struct Served {
    cups: u64,
}

#[node]
fn brew(order: &Order) -> Brewed {
    Brewed { cups: order.cups }
}

#[node]
fn serve(brewed: &Brewed) -> Served {
    Served { cups: brewed.cups }
}

#[flow]
fn coffee(order: Order) -> Served {
    flow! { brew -> serve }
}

/// What `call` returns, once it is known to allocate at most so often.
fn at_most<T>(most: u64, call: impl FnOnce() -> T) -> T {
    let mut returned = None;
    let counted = measure(|| returned = Some(call()));
    let count = counted.count_total;
    assert!(count <= most, "{count} allocations, and {most} were enough");
    returned.unwrap()
}

fn start() -> FlowRuntime<Order> {
    FlowRuntime::new(Order { cups: 2 }).unwrap()
}

fn step(run: &mut FlowRuntime<Order>, ctx: Context) {
    let stepped = run.next(ctx).now_or_never();
    stepped.unwrap().unwrap();
}

/// A run after its first step, of a flow of which everything is there that is made once.
fn run_after_a_step() -> FlowRuntime<Order> {
    let mut run = start();
    step(&mut run, Context::default());
    load(read(&serde_json::to_vec(&run).unwrap()));
    run
}

fn read(json: &[u8]) -> FlowSnapshot {
    serde_json::from_slice(json).unwrap()
}

fn load(snapshot: FlowSnapshot) -> FlowRuntime<Order> {
    FlowRuntime::from_snapshot(snapshot).unwrap()
}

#[test]
fn a_run_starts_with_four_allocations() {
    run_after_a_step();
    at_most(4, start);
}

#[test]
fn a_step_allocates_what_its_node_returns() {
    run_after_a_step();
    let (mut run, ctx) = (start(), Context::default());
    at_most(1, || step(&mut run, ctx));
}

/// Ten to read it: the whole, the names of flow and run, the fingerprint, the keys of input and state, and two for the JSON
/// of each of these.
#[test]
fn a_run_is_stored_and_restored_without_allocations_for_what_it_does_not_have() {
    let run = run_after_a_step();
    let json = at_most(2, || serde_json::to_vec(&run).unwrap());
    let snapshot = at_most(10, || read(&json));
    at_most(2, || load(snapshot));
}
