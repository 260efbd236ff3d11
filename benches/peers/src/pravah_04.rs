//! `pravah` 0.4.25: `map`, the typed flow.

use pravah_04::{Flow, Step, compile};

use crate::{
    NODES, call_time,
    chain::{Link, next, state},
    step_time,
};

fn chain(root: Flow<Link<0>>) -> Flow<Link<10>> {
    root.map(next::<0, 1>)
        .map(next::<1, 2>)
        .map(next::<2, 3>)
        .map(next::<3, 4>)
        .map(next::<4, 5>)
        .map(next::<5, 6>)
        .map(next::<6, 7>)
        .map(next::<7, 8>)
        .map(next::<8, 9>)
        .map(next::<9, 10>)
}

pub async fn step(size: usize) -> f64 {
    let flow = compile(chain).expect("a flow");
    let input = state::<0>(size);
    let start = || flow.start(input.clone(), uuid::Uuid::nil()).expect("a run");
    step_time(NODES, start, async |run| {
        loop {
            match run.next().expect("a step") {
                Step::Done(value) => return flow.decode_output(value).expect("an output"),
                _ => continue,
            }
        }
    })
    .await
}

pub async fn start() -> f64 {
    let flow = compile(chain).expect("a flow");
    let input = state::<0>(16);
    call_time(async || flow.start(input.clone(), uuid::Uuid::nil()).expect("a run")).await
}

pub async fn stored_step() -> f64 {
    let flow = compile(chain).expect("a flow");
    let input = state::<0>(16);
    let start = || flow.start(input.clone(), uuid::Uuid::nil()).expect("a run");
    step_time(NODES, start, async |run| {
        loop {
            let bytes = serde_json::to_vec(&run.snapshot().expect("a snapshot")).expect("bytes");
            let snapshot = serde_json::from_slice(&bytes).expect("a snapshot");
            *run = flow.restore(snapshot).expect("a run");
            match run.next().expect("a step") {
                Step::Done(value) => return flow.decode_output(value).expect("an output"),
                _ => continue,
            }
        }
    })
    .await
}
