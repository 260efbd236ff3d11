//! Ours: a gate.

use pravah_runtime::{Entries, FlowSnapshot, prelude::*};

use super::{bytes_of, text};
use crate::{call_time, step_time};

#[state]
pub struct Question {
    text: String,
}

#[state]
pub struct Answered {
    yes: bool,
}

#[gate(prompt = "Well?")]
fn ask(_question: Question, yes: bool) -> Answered {
    Answered { yes }
}

#[flow]
fn asking(question: Question) -> Answered {
    flow! { ask }
}

async fn run(is_asked: bool) -> FlowRuntime<Question> {
    let mut run = FlowRuntime::new(Question { text: text() }).expect("a run");
    if is_asked {
        run.next(Context::default()).await.expect("a question");
    }
    run
}

pub async fn held() -> f64 {
    bytes_of(run).await
}

pub async fn loaded() -> f64 {
    let json = waiting().await;
    call_time(async || load(&json)).await
}

/// A stored run that waits for an answer.
pub async fn waiting() -> Vec<u8> {
    serde_json::to_vec(&run(true).await.snapshot()).expect("bytes")
}

pub fn load(json: &[u8]) -> FlowRuntime<Question> {
    let snapshot = serde_json::from_slice(json).expect("a snapshot");
    FlowRuntime::from_snapshot(snapshot).expect("a run")
}

#[state]
struct Sheaf {
    sheets: u64,
}

#[state]
struct Sheet {
    n: u64,
}

#[state]
struct Inspected {
    n: u64,
}

#[state]
struct Bound {
    n: u64,
}

#[node]
fn sheets(sheaf: &Sheaf) -> Each<Sheet> {
    (0..sheaf.sheets).map(|n| Sheet { n }).collect()
}

#[gate(prompt = "Well?")]
fn inspect(sheet: Sheet, yes: bool) -> Inspected {
    Inspected {
        n: sheet.n + u64::from(yes),
    }
}

#[node]
fn bind(inspected: &Each<Inspected>) -> Bound {
    Bound {
        n: inspected.len() as u64,
    }
}

#[flow(named)]
fn inspecting(sheaf: Sheaf) -> Bound {
    flow! { sheets -> each(inspect) -> bind }
}

/// How long a run with so many open questions takes to load, in nanoseconds a question.
pub async fn loaded_question(items: u64) -> f64 {
    let mut run = inspecting::start(Sheaf { sheets: items }).expect("a run");
    run.run(Context::default()).await.expect("a question");
    assert_eq!(run.suspensions().len() as u64, items);
    let json = serde_json::to_vec(&run.snapshot()).expect("bytes");
    let start = || json.clone();
    step_time(items, start, async |json| {
        let snapshot: FlowSnapshot = serde_json::from_slice(json).expect("a snapshot");
        FlowRuntime::<inspecting>::from_snapshot(snapshot).expect("a run")
    })
    .await
}

/// The same from entries, in nanoseconds an entry.
pub async fn loaded_entry(items: u64) -> f64 {
    let mut run = inspecting::start(Sheaf { sheets: items }).expect("a run");
    run.run(Context::default()).await.expect("a question");
    let mut entries = Entries::default();
    entries.apply(run.take_changes().expect("changes"));
    let count = entries.iter().count() as u64;
    let start = || ();
    step_time(count, start, async |()| {
        let snapshot = FlowSnapshot::from_entries(&entries).expect("a snapshot");
        FlowRuntime::<inspecting>::from_snapshot(snapshot).expect("a run")
    })
    .await
}
