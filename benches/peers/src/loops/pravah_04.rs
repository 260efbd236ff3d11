//! `pravah` 0.4.25: `mark` and `goto`. A choice of the typed flow cannot go back, so the loop has no end of its own.

use pravah_04::{Flow, Step, compile};

use super::STEPS;

fn counting(root: Flow<u64>) -> Flow<u64> {
    let again = root.mark();
    let _ = root.clone().map(|n| n + 1).goto(again);
    root.map(|n| n).suspend::<u64>()
}

pub async fn run() {
    let flow = compile(counting).expect("a flow");
    let mut run = flow.start(0, uuid::Uuid::nil()).expect("a run");
    for _ in 0..STEPS {
        assert!(matches!(run.next().expect("a step"), Step::Continue));
    }
}
