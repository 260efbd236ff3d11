//! `pravah` 0.4.25: `suspend`.

use pravah_04::{CompiledFlow, Flow, Runtime, Step, compile};

use super::{bytes_of, text};
use crate::call_time;

fn asking(root: Flow<String>) -> Flow<bool> {
    root.suspend::<bool>()
}

fn run(flow: &CompiledFlow<String, bool>, is_asked: bool) -> Runtime {
    let mut run = flow.start(text(), uuid::Uuid::nil()).expect("a run");
    if is_asked {
        assert!(matches!(run.next(), Ok(Step::Suspend(_))));
    }
    run
}

pub async fn held() -> f64 {
    let flow = compile(asking).expect("a flow");
    bytes_of(async |is_asked| run(&flow, is_asked)).await
}

pub async fn loaded() -> f64 {
    let flow = compile(asking).expect("a flow");
    let snapshot = run(&flow, true).snapshot().expect("a snapshot");
    let json = serde_json::to_vec(&snapshot).expect("bytes");
    call_time(async || {
        let snapshot = serde_json::from_slice(&json).expect("a snapshot");
        flow.restore(snapshot).expect("a run")
    })
    .await
}
