//! How often a run allocates, so that nobody makes a step or a load dearer without knowing. A count is the same on every
//! machine, as a time is not.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::pin::pin;

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

#[state]
struct Orders {
    cups: u64,
}

#[state]
struct AllServed {
    cups: u64,
}

#[node]
fn orders(all: &Orders) -> Each<Order> {
    (0..all.cups).map(|_| Order { cups: 1 }).collect()
}

#[node]
fn settle(served: &Each<Served>) -> AllServed {
    AllServed {
        cups: served.iter().map(|it| it.cups).sum(),
    }
}

#[flow]
fn cafe(all: Orders) -> AllServed {
    flow! { orders -> each(brew -> serve) -> settle }
}

/// What a future returns that waits for nobody: a run pauses now and then, for others on its thread.
fn ended<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Some(out) = future.as_mut().now_or_never() {
            return out;
        }
    }
}

/// How many bytes a step in the middle of a list of so many orders allocates, while somebody holds a snapshot of the run as
/// it was before that step.
fn bytes_of_a_step_beside_a_snapshot(cups: u64) -> u64 {
    let ctx = Context::default();
    let mut run = FlowRuntime::new(Orders { cups }).unwrap();
    for _ in 0..cups {
        ended(run.next(ctx.clone())).unwrap();
    }
    let snapshot = run.snapshot();
    let counted = measure(|| {
        ended(run.next(ctx)).unwrap();
    });
    drop(snapshot);
    counted.bytes_total
}

fn start() -> FlowRuntime<Order> {
    FlowRuntime::new(Order { cups: 2 }).unwrap()
}

fn step(run: &mut FlowRuntime<Order>, ctx: Context) {
    ended(run.next(ctx)).unwrap();
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

/// A map of the items that are done is shared with the snapshot, but for a node at each of its levels: in 16 times as many
/// items there is one level more.
#[test]
fn a_step_beside_a_live_snapshot_copies_no_more_of_a_longer_list() {
    let [short, long] = [1_000, 16_000].map(bytes_of_a_step_beside_a_snapshot);
    assert!(
        long <= 2 * short,
        "{short} bytes, and {long} in the longer list"
    );
}
