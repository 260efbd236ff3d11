//! Pravah beside the published crates: M1 to M6, M9, M10 and M12 to M14 of `docs/benchmarks.md`.
//!
//! Each runs the same workloads on one thread: a chain of ten nodes, which count one up and hand the
//! payload on, an agent with one tool, and lists. The least times are printed, and of forks on the clock the
//! medians. Arguments name the parts to run: `held`, `steps`, `starts`, `agents`, `lists`, `waits`, `stored`. With
//! `count stored-step ours`, `fork` or `graph-flow` it makes 1,000 runs and measures nothing, to be run under a profiler.

mod agents;
mod chain;
mod counted;
mod graph_flow;
mod lists;
mod ours;
mod pravah_02;
mod pravah_04;
mod stored;
mod waits;

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// The nodes of the chain.
pub const NODES: u64 = 10;

/// The least time of a call, in nanoseconds: what others do on the machine only adds to it.
pub async fn call_time<T>(mut call: impl AsyncFnMut() -> T) -> f64 {
    let once = Instant::now();
    black_box(call().await);
    let once = once.elapsed().max(Duration::from_nanos(100));
    // A round takes about 4 ms.
    let batch = (4_000_000 / once.as_nanos()).clamp(1, 2_000);
    let mut times = Vec::new();
    for _ in 0..15 {
        let start = Instant::now();
        for _ in 0..batch {
            black_box(call().await);
        }
        times.push(start.elapsed());
    }
    least(times) / batch as f64
}

/// The least time of a step, in nanoseconds. `start` makes a run before the clock starts, `drive` makes its
/// `steps` steps, and the run is dropped after the clock has stopped.
pub async fn step_time<S, T>(
    steps: u64,
    mut start: impl FnMut() -> S,
    mut drive: impl AsyncFnMut(&mut S) -> T,
) -> f64 {
    let mut times = Vec::new();
    let started = Instant::now();
    while times.len() < 20 || (times.len() < 4_000 && started.elapsed().as_millis() < 300) {
        let mut run = start();
        let start = Instant::now();
        let out = drive(&mut run).await;
        times.push(start.elapsed());
        black_box((run, out));
    }
    least(times) / steps as f64
}

fn least(times: Vec<Duration>) -> f64 {
    times.into_iter().min().unwrap_or_default().as_nanos() as f64
}

fn row(label: &str, ours: f64, peers: &[(&str, f64)]) {
    print!("| {label} | {ours:.0}");
    for (_, time) in peers {
        print!(" | {time:.0} (×{:.1})", time / ours);
    }
    println!(" |");
}

fn head(what: &str, peers: &[(&str, f64)]) {
    println!("\n{what}, ns (× ours)");
    print!("| | ours");
    for (name, _) in peers {
        print!(" | {name}");
    }
    println!(" |\n|---|---{} |", "|---".repeat(peers.len()));
}

/// The times of the peers that run every chain.
fn named([two, four, graph]: [f64; 3]) -> [(&'static str, f64); 3] {
    [
        ("pravah 0.2.0", two),
        ("pravah 0.4.25", four),
        ("graph-flow 0.8.1", graph),
    ]
}

/// How long the strings of the chains are.
const SIZES: [(&str, usize); 4] = [
    ("16 B", 16),
    ("1 KB", 1 << 10),
    ("100 KB", 100 << 10),
    ("10 MB", 10 << 20),
];

async fn steps() {
    for (n, (label, size)) in SIZES.into_iter().enumerate() {
        let peers = named([
            pravah_02::step(size).await,
            pravah_04::step(size).await,
            graph_flow::step(size).await,
        ]);
        if n == 0 {
            head("M1, M2, M14: a step of a chain of 10", &peers);
        }
        let by_value = ours::by_value(size).await;
        let shared = ours::shared(size).await;
        row(&format!("{label}, `work`"), by_value, &peers);
        row(&format!("{label}, `work_shared`"), shared, &peers);
    }
}

/// The time of a clone where as many are made as a run has steps, and one is kept, as a run keeps its input.
async fn cloned(state: &chain::Link<0>) -> f64 {
    let start = || state.clone();
    step_time(NODES, start, async |state| {
        let kept = state.clone();
        for _ in 1..NODES {
            drop(black_box(state.clone()));
        }
        kept
    })
    .await
}

/// What a step by value costs for its payload, against one clone of it. Both are measured by turns, since
/// the machine is not always equally fast.
async fn clones() {
    println!("\nM14: what `work` costs over 16 B, ns\n| | over 16 B | a clone | ratio |");
    println!("|---|---|---|---|");
    let small = ours::by_value(16).await;
    for (label, size) in SIZES.into_iter().skip(1) {
        let state = chain::state::<0>(size);
        let (mut step, mut clone) = (f64::MAX, f64::MAX);
        for _ in 0..5 {
            step = step.min(ours::by_value(size).await);
            clone = clone.min(cloned(&state).await);
        }
        let over = step - small;
        println!("| {label} | {over:.0} | {clone:.0} | {:.2} |", over / clone);
    }
}

async fn starts_and_restores() {
    let peers = named([
        pravah_02::start().await,
        pravah_04::start().await,
        graph_flow::start().await,
    ]);
    head("M3: starting a run of 10 nodes", &peers);
    row("start", ours::start().await, &peers);
    let peers = named([
        pravah_02::stored_step().await,
        pravah_04::stored_step().await,
        graph_flow::stored_step().await,
    ]);
    let what = "M4: a step, stored and restored before it, of a chain of 10";
    head(what, &peers);
    row("16 B", ours::stored_step().await, &peers);
}

async fn agents() {
    let peers = [
        ("pravah 0.2.0", agents::pravah_02::turn().await),
        ("pravah 0.4.25", agents::pravah_04::turn().await),
    ];
    head("M5: an agent with one tool call", &peers);
    row("hand-written client", agents::ours::turn().await, &peers);
    row("`ScriptedModel`", agents::ours::scripted().await, &peers);
    println!("| by hand | {:.0} |", agents::ours::by_hand().await);
}

async fn lists() {
    for (index, items) in [100, 1_000, 10_000].into_iter().enumerate() {
        let peers = [("pravah 0.4.25", lists::pravah_04::item(items).await)];
        if index == 0 {
            head("M10: an item of a list", &peers);
        }
        let label = format!("{items} items");
        row(&label, lists::ours::item(items).await, &peers);
    }
}

/// A fork whose branches wait. The two other crates run branches one after another.
async fn waits() {
    let (ours, theirs) = waits::on_the_clock().await;
    let peers = [("graph-flow 0.8.1", theirs.whole)];
    head("M6: a fork of 8 branches that wait 20 ms each", &peers);
    row("fork", ours.whole, &peers);
    row(
        "fork, besides its waits",
        ours.besides,
        &[("graph-flow 0.8.1", theirs.besides)],
    );
}

/// What such a fork costs beyond the wait: with tokio's clock paused, time passes at once where everybody waits for
/// it.
async fn beyond_waits() {
    let peers = [("graph-flow 0.8.1", waits::graph_flow::fork().await)];
    head("M6: the same, what it costs beyond the wait", &peers);
    row("fork", waits::ours::fork().await, &peers);
}

/// Has to come first: memory that was freed would be taken again.
async fn held() {
    println!("M9: 10,000 runs, half of them suspended, bytes a run");
    println!("| state | memory over the state | snapshot |\n|---|---|---|");
    let (held, written) = stored::held_run(16).await;
    println!("| 16 B | {held:.0} | {written:.0} |");
}

/// What no peer has, or not for runs of this kind.
async fn stored() {
    println!("\nM12: a step of a list whose changes are saved");
    println!("| items | bytes | ns |\n|---|---|---|");
    for items in [10, 1_000, 100_000] {
        let (bytes, time) = stored::saved_step(items).await;
        println!("| {items} | {bytes:.0} | {time:.0} |");
    }
    println!("\nM13: loading a list of open questions, ns");
    println!("| questions | a question | an entry, from entries |\n|---|---|---|");
    for items in [100, 10_000, 100_000] {
        let question = stored::loaded_question(items).await;
        let entry = stored::loaded_entry(items).await;
        println!("| {items} | {question:.0} | {entry:.0} |");
    }
}

fn main() {
    // glibc gives memory back to the system after every large value, and takes it again page by page,
    // until a process has freed something larger: 32 MB at most. That would be most of what is measured,
    // for all alike.
    let free_large = || drop(black_box(vec![1_u8; 31 << 20]));
    let runtime = |is_paused| {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(is_paused)
            .on_thread_unpark(waits::note_woken)
            .build()
            .expect("a runtime")
    };
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let [count, row, who] = &wanted[..]
        && count == "count"
    {
        return runtime(row == "fork").block_on(counted::make(row, who));
    }
    let runs = |part: &str| wanted.is_empty() || wanted.iter().any(|it| it == part);
    runtime(false).block_on(async {
        if runs("held") {
            held().await;
        }
        free_large();
        if runs("steps") {
            steps().await;
            clones().await;
        }
        if runs("starts") {
            starts_and_restores().await;
        }
        if runs("agents") {
            agents().await;
        }
        if runs("lists") {
            lists().await;
        }
        if runs("waits") {
            waits().await;
        }
        if runs("stored") {
            stored().await;
        }
    });
    if runs("waits") {
        runtime(true).block_on(beyond_waits());
    }
}
