//! `pravah` 0.4.25: `each`.

use pravah_04::{Flow, Step, compile};

use super::{PEERS_STEPS, Saved};
use crate::step_time;

fn count(n: u64) -> u64 {
    n + 1
}

fn counting(root: Flow<Vec<u64>>) -> Flow<u64> {
    root.each(|item| item.map(count))
        .map(|counted: Vec<u64>| counted.iter().sum::<u64>())
}

pub async fn item(items: u64) -> f64 {
    let flow = compile(counting).expect("a flow");
    let start = || {
        let numbers = (0..items).collect();
        flow.start(numbers, uuid::Uuid::nil()).expect("a run")
    };
    step_time(items, start, async |run| {
        loop {
            if let Step::Done(value) = run.next().expect("a step") {
                return flow.decode_output(value).expect("an output");
            }
        }
    })
    .await
}

pub async fn saved_step(items: u64) -> Saved {
    let flow = compile(counting).expect("a flow");
    let steps = items.min(PEERS_STEPS);
    let mut bytes = 0;
    let start = || {
        let numbers = (0..items).collect();
        flow.start(numbers, uuid::Uuid::nil()).expect("a run")
    };
    let time = step_time(steps, start, async |run| {
        bytes = 0;
        for _ in 0..steps {
            run.next().expect("a step");
            let snapshot = run.snapshot().expect("a snapshot");
            bytes += serde_json::to_vec(&snapshot).expect("bytes").len();
        }
    })
    .await;
    Saved {
        bytes: bytes as f64 / steps as f64,
        time,
    }
}
