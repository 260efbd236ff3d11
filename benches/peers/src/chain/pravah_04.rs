//! `pravah` 0.4.25: `map`, the typed flow.

use pravah_04::{Flow, Step, compile};

use super::{Link, next, state};
use crate::{call_time, step_time};

macro_rules! add {
    ($root:ident $from:tt $to:tt) => {
        let $root = $root.map(next::<$from, $to>);
    };
}

pub fn ten(root: Flow<Link<0>>) -> Flow<Link<10>> {
    crate::ten!(add root);
    root
}

pub fn hundred(root: Flow<Link<100>>) -> Flow<Link<200>> {
    crate::hundred!(add root);
    root
}

/// A chain from `N` to `M`.
type Chain<const N: usize, const M: usize> = fn(Flow<Link<N>>) -> Flow<Link<M>>;

pub async fn step<const N: usize, const M: usize>(
    chain: Chain<N, M>,
    nodes: u64,
    size: usize,
) -> f64 {
    let flow = compile(chain).expect("a flow");
    let input = state::<N>(size);
    let start = || flow.start(input.clone(), uuid::Uuid::nil()).expect("a run");
    step_time(nodes, start, async |run| {
        loop {
            match run.next().expect("a step") {
                Step::Done(value) => return flow.decode_output(value).expect("an output"),
                _ => continue,
            }
        }
    })
    .await
}

pub async fn start<const N: usize, const M: usize>(chain: Chain<N, M>) -> f64 {
    let flow = compile(chain).expect("a flow");
    let input = state::<N>(16);
    call_time(async || flow.start(input.clone(), uuid::Uuid::nil()).expect("a run")).await
}

pub async fn stored_step<const N: usize, const M: usize>(chain: Chain<N, M>, nodes: u64) -> f64 {
    let flow = compile(chain).expect("a flow");
    let input = state::<N>(16);
    let start = || flow.start(input.clone(), uuid::Uuid::nil()).expect("a run");
    step_time(nodes, start, async |run| {
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
