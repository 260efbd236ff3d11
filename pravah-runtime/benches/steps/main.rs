//! What a step costs against the same functions awaited by hand: M1 to M4 of `docs/benchmarks.md`.
//!
//! Machines are noisy, so it is the ratios that count: after criterion's figures a table is printed
//! of medians measured side by side.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a benchmark fails by panicking"
)]

mod calls;
mod chains;
mod detached;

use std::{
    hint::black_box,
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

use chains::{Erased, ErasedStep, KeepingStep, Kept, hundred, ten, ten_async, ten_shared};
use criterion::{BenchmarkId, Criterion};
use futures_util::FutureExt;
use pravah_runtime::{FlowDef, prelude::*};
use tokio::runtime::Runtime;

const SMALL: usize = 16;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let mut criterion = Criterion::default().configure_from_args().sample_size(30);
    groups(&mut criterion, &runtime);
    criterion.final_summary();
    if std::env::args().any(|arg| arg == "--bench") {
        runtime.block_on(async {
            ratios().await;
            calls::ratios().await;
            detached::ratios().await;
        });
    }
}

fn groups(criterion: &mut Criterion, runtime: &Runtime) {
    let mut group = criterion.benchmark_group("chain of 10, small state");
    let steps = ten::erased();
    group.bench_function("erased", |b| {
        b.to_async(runtime)
            .iter(|| by_hand(&steps, ten::start(text(SMALL))))
    });
    group.bench_function("flow", |b| {
        b.to_async(runtime)
            .iter(|| to_the_end::<ten::S00>(ten::start(text(SMALL))))
    });
    group.finish();

    let mut group = criterion.benchmark_group("chain of 10, state shared by reference");
    for size in [1 << 10, 100 << 10, 10 << 20] {
        let payload: Arc<str> = text(size).into();
        group.bench_function(BenchmarkId::from_parameter(size), |b| {
            b.to_async(runtime)
                .iter(|| to_the_end::<ten_shared::S00>(ten_shared::start(Arc::clone(&payload))));
        });
    }
    group.finish();
}

fn text(size: usize) -> String {
    "x".repeat(size)
}

async fn by_hand<S: Send + 'static>(steps: &[ErasedStep], start: S) -> Erased {
    let mut state: Erased = Box::new(start);
    for step in steps {
        state = step(state).await;
    }
    state
}

/// The same with what a step promises: the state stays until the next one is there, for whoever shares it,
/// and a panic is caught.
async fn by_hand_keeping<S: Send + Sync + 'static>(
    steps: &[KeepingStep],
    start: S,
    ctx: &Context,
) -> Kept {
    let mut state: Kept = Arc::new(start);
    for step in steps {
        let next = AssertUnwindSafe(async { step(&state, ctx.clone()).await });
        state = next.catch_unwind().await.unwrap();
    }
    state
}

async fn to_the_end<F: FlowDef>(input: F::Input) -> F::Output {
    let ctx = Context::default();
    let mut run = FlowRuntime::<F>::start(input).unwrap();
    loop {
        if let RunOut::Done(output) = run.next(ctx.clone()).await.unwrap() {
            return output;
        }
    }
}

/// The median time of `rounds` calls, in nanoseconds.
async fn median<T>(rounds: usize, mut call: impl AsyncFnMut() -> T) -> f64 {
    let batch = 200_usize;
    let mut times: Vec<Duration> = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let start = Instant::now();
        for _ in 0..batch {
            black_box(call().await);
        }
        times.push(start.elapsed());
    }
    times.sort_unstable();
    times.get(rounds / 2).unwrap().as_nanos() as f64 / batch as f64
}

async fn ratios() {
    println!("\nM1: a step of a chain, small state (ns)");
    println!("| chain | direct | erased | keeping | flow | flow / erased | flow / keeping |");
    println!("|---|---|---|---|---|---|---|");
    let ctx = Context::default();
    macro_rules! row {
        ($label:literal, $nodes:literal, $chain:ident) => {{
            let steps = $chain::erased();
            let direct = median(25, async || {
                $chain::direct($chain::start(text(SMALL))).await
            })
            .await
                / $nodes;
            let erased = median(25, async || {
                by_hand(&steps, $chain::start(text(SMALL))).await
            })
            .await
                / $nodes;
            let steps = $chain::keeping();
            let keeping = median(25, async || {
                by_hand_keeping(&steps, $chain::start(text(SMALL)), &ctx).await
            })
            .await
                / $nodes;
            let flow = steps_of::<$chain::S00>($nodes, || $chain::start(text(SMALL)), &ctx).await;
            print_row($label, Some(direct), erased, keeping, flow);
        }};
    }
    row!("10 `#[node]`s", 10.0, ten);
    row!("100 `#[node]`s", 100.0, hundred);
    row!("10 async `#[node]`s by value", 10.0, ten_async);
    let steps = chains::thousand_erased();
    let link = || chains::Link::<0> {
        n: 0,
        payload: text(SMALL),
    };
    let erased = median(5, async || by_hand(&steps, link()).await).await / 1000.0;
    let steps = chains::thousand_keeping();
    let keeping = median(5, async || by_hand_keeping(&steps, link(), &ctx).await).await / 1000.0;
    print_row(
        "1,000 `work` nodes",
        None,
        erased,
        keeping,
        steps_of::<chains::Link<0>>(1000.0, link, &ctx).await,
    );

    println!("\nM2: a step by payload, nodes that take `&T` (ns)");
    println!("| payload | flow | against 16 B |\n|---|---|---|");
    let mut small = None;
    for size in [SMALL, 1 << 10, 100 << 10, 10 << 20] {
        let payload: Arc<str> = text(size).into();
        let step =
            steps_of::<ten_shared::S00>(10.0, || ten_shared::start(Arc::clone(&payload)), &ctx)
                .await;
        let base = *small.get_or_insert(step);
        println!("| {size} | {step:.0} | {:.2} |", step / base);
    }

    println!("\nM15: a timer of 10 ms beside a million steps that never await");
    println!("late by {:.2} ms", late().await);

    println!("\nM3: starting a run (ns)");
    println!("| nodes | `FlowRuntime::new` |\n|---|---|");
    println!(
        "| 10 | {:.0} |",
        median(25, async || FlowRuntime::new(ten::start(text(SMALL)))
            .unwrap())
        .await
    );
    println!(
        "| 100 | {:.0} |",
        median(25, async || FlowRuntime::new(hundred::start(text(SMALL)))
            .unwrap())
        .await
    );
    println!(
        "| 1,000 | {:.0} |",
        median(25, async || FlowRuntime::new(link()).unwrap()).await
    );

    println!("\nM4: snapshot, bytes, restore (ns)");
    println!(
        "| nodes | live state alone | snapshot to restored run | over 1.5 × (ns) |\n|---|---|---|---|"
    );
    restore_row::<ten::S00>("10", ten::start(text(SMALL))).await;
    restore_row::<hundred::S00>("100", hundred::start(text(SMALL))).await;
    restore_row::<chains::Link<0>>("1,000", link()).await;
    println!("\n| payload | `snapshot()` alone |\n|---|---|");
    for size in [1 << 10, 10 << 20] {
        let run = FlowRuntime::new(ten::start(text(size))).unwrap();
        println!(
            "| {size} | {:.0} |",
            median(25, async || run.snapshot()).await
        );
    }
}

/// How late a timer of 10 ms is beside a run of a million steps that never await, in milliseconds.
async fn late() -> f64 {
    let mut run = FlowRuntime::new(chains::Count { n: 0 }).unwrap();
    let timer = async {
        let start = Instant::now();
        tokio::time::sleep(Duration::from_millis(10)).await;
        start.elapsed()
    };
    let (out, slept) = tokio::join!(run.run(Context::default()), timer);
    assert!(matches!(out, Ok(RunOut::Done(_))));
    slept.as_secs_f64() * 1e3 - 10.0
}

fn print_row(label: &str, direct: Option<f64>, erased: f64, keeping: f64, flow: f64) {
    let direct = direct.map_or("–".to_owned(), |direct| format!("{direct:.0}"));
    println!(
        "| {label} | {direct} | {erased:.0} | {keeping:.0} | {flow:.0} | {:.2} | {:.2} |",
        flow / erased,
        flow / keeping
    );
}

/// A step, without starting the run.
async fn steps_of<F: FlowDef>(nodes: f64, input: impl Fn() -> F::Input, ctx: &Context) -> f64 {
    let rounds = if nodes > 500.0 { 5 } else { 25 };
    let start = median(rounds, async || FlowRuntime::<F>::start(input()).unwrap()).await;
    let whole = median(rounds, async || {
        let mut run = FlowRuntime::<F>::start(input()).unwrap();
        while !matches!(run.next(ctx.clone()).await.unwrap(), RunOut::Done(_)) {}
    })
    .await;
    (whole - start) / nodes
}

async fn restore_row<F: FlowDef>(label: &str, input: F::Input)
where
    F::Input: Clone,
{
    let alone = median(25, async || {
        let bytes = serde_json::to_vec(&input).unwrap();
        serde_json::from_slice::<F::Input>(&bytes).unwrap()
    })
    .await;
    let run = FlowRuntime::<F>::start(input.clone()).unwrap();
    let whole = median(25, async || {
        let bytes = serde_json::to_vec(&run.snapshot()).unwrap();
        FlowRuntime::<F>::from_snapshot(serde_json::from_slice(&bytes).unwrap()).unwrap()
    })
    .await;
    println!(
        "| {label} | {alone:.0} | {whole:.0} | {:.0} |",
        whole - 1.5 * alone
    );
}
