//! M9, M12 and M13: what runs cost that are held, saved at every step, and loaded.

use pravah_runtime::{Entries, FlowSnapshot, prelude::*};

use crate::step_time;

#[state]
struct Sheaf {
    sheets: u64,
}

#[state]
struct Sheet {
    n: u64,
}

#[state]
struct Inked {
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

#[node]
fn ink(sheet: &Sheet) -> Inked {
    Inked { n: sheet.n }
}

#[gate(prompt = "Well?")]
fn inspect(sheet: Sheet, yes: bool) -> Inked {
    Inked {
        n: sheet.n + u64::from(yes),
    }
}

#[node]
fn bind(inked: &Each<Inked>) -> Bound {
    Bound {
        n: inked.len() as u64,
    }
}

#[flow]
fn binding(sheaf: Sheaf) -> Bound {
    flow! { sheets -> each(ink) -> bind }
}

#[flow(named)]
fn inspecting(sheaf: Sheaf) -> Bound {
    flow! { sheets -> each(inspect) -> bind }
}

#[state]
struct Question {
    text: String,
}

#[gate(prompt = "Well?")]
fn ask(question: Question, yes: bool) -> Bound {
    Bound {
        n: question.text.len() as u64 + u64::from(yes),
    }
}

#[flow]
fn asking(question: Question) -> Bound {
    flow! { ask }
}

/// The bytes that each step of a list saves, and the nanoseconds that it takes with that.
pub async fn saved_step(items: u64) -> (f64, f64) {
    let ctx = Context::default();
    let mut bytes = 0;
    let start = || {
        let mut run = FlowRuntime::new(Sheaf { sheets: items }).expect("a run");
        run.take_changes().expect("changes");
        run
    };
    let time = step_time(items, start, async |run| {
        bytes = 0;
        loop {
            let out = run.next(ctx.clone()).await.expect("a step");
            let changes = run.take_changes().expect("changes");
            if matches!(run.last_step(), Some(step) if !step.items.is_empty()) {
                let put = changes.put().map(|(key, json)| key.len() + json.len());
                bytes += put.sum::<usize>();
                bytes += changes.deleted().map(str::len).sum::<usize>();
            }
            if let RunOut::Done(bound) = out {
                return bound;
            }
        }
    })
    .await;
    (bytes as f64 / items as f64, time)
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

/// The memory of a run among 10,000, half of which have asked, beyond its state of this size; and how
/// large their snapshots are, both in bytes.
pub async fn held_run(size: usize) -> (f64, f64) {
    const RUNS: usize = 10_000;
    let ctx = Context::default();
    let mut runs = Vec::with_capacity(RUNS);
    let mut written = 0;
    let before = resident();
    for n in 0..RUNS {
        let text = "x".repeat(size);
        let mut run = FlowRuntime::new(Question { text }).expect("a run");
        if n % 2 == 0 {
            run.next(ctx.clone()).await.expect("a question");
        }
        runs.push(run);
    }
    let held = resident().saturating_sub(before) as f64 / RUNS as f64;
    for run in runs.iter().take(2) {
        written += serde_json::to_vec(&run.snapshot()).expect("bytes").len();
    }
    (held - size as f64, written as f64 / 2.0)
}

/// How much memory the process has, in bytes.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("statm");
    let resident = pages.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    resident.unwrap_or(0) * 4096
}
