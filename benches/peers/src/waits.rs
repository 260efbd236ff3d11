//! M6: a fork of eight branches that wait 20 ms each, in nanoseconds.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use pravah_runtime::Context;

const WAIT: Duration = Duration::from_millis(20);

/// The medians of forks on the clock, in nanoseconds.
pub struct Measured {
    pub whole: f64,
    /// What it takes besides its waits: until the last branch waits, and once the thread is awake again.
    pub besides: f64,
}

/// Forks of ours and of graph-flow in turn. Tokio's timer counts whole milliseconds, so that how long a wait takes depends
/// on when within one it starts: both start at as many offsets, evenly spread over it.
pub async fn on_the_clock() -> (Measured, Measured) {
    const SAMPLES: u32 = 200;
    let (graph, ctx) = (graph_flow::graph(), Context::default());
    let origin = Instant::now();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for sample in 0..SAMPLES {
        let start = start_at(origin, sample, SAMPLES);
        graph_flow::once(&graph).await;
        theirs.push(times_since(start));
        let start = start_at(origin, sample, SAMPLES);
        ours::once(&ctx).await;
        ours.push(times_since(start));
    }
    (measured(ours), measured(theirs))
}

fn measured(times: Vec<[Duration; 2]>) -> Measured {
    let median = |which: usize| {
        let mut times: Vec<Duration> = times.iter().map(|times| times[which]).collect();
        times.sort_unstable();
        times[times.len() / 2].as_nanos() as f64
    };
    Measured {
        whole: median(0),
        besides: median(1),
    }
}

thread_local! {
    /// Of a fork on the clock, when the last of its branches began to wait, and when the thread last woke.
    static WAITED: Cell<Option<[Instant; 2]>> = const { Cell::new(None) };
}

/// What a branch does.
async fn wait() {
    if let Some([_, woken]) = WAITED.get() {
        WAITED.set(Some([Instant::now(), woken]));
    }
    tokio::time::sleep(WAIT).await;
}

/// Notes that the runtime goes on after it had nothing to do.
pub fn note_woken() {
    if let Some([last, _]) = WAITED.get() {
        WAITED.set(Some([last, Instant::now()]));
    }
}

/// The whole time of a fork that has ended, and that besides its waits.
fn times_since(start: Instant) -> [Duration; 2] {
    let end = Instant::now();
    let [last, woken] = WAITED.take().expect("a fork on the clock");
    [end - start, (last - start) + (end - woken)]
}

/// Spins until offset number `sample` within a millisecond, when a fork on the clock starts.
fn start_at(origin: Instant, sample: u32, samples: u32) -> Instant {
    let offset = 1_000_000 * sample / samples;
    loop {
        let now = Instant::now();
        let within = (now - origin).subsec_nanos() % 1_000_000;
        if within.abs_diff(offset) < 2_000 {
            WAITED.set(Some([now; 2]));
            return now;
        }
    }
}

pub mod ours {
    use pravah_runtime::prelude::*;

    use crate::call_time;

    #[state]
    struct Start {
        n: u64,
    }

    #[state]
    struct Waited {
        n: u64,
    }

    #[state]
    struct End {
        n: u64,
    }

    #[node]
    async fn wait(start: &Start) -> Waited {
        super::wait().await;
        Waited { n: start.n }
    }

    macro_rules! gather {
        ($($name:ident),+) => {
            #[node]
            fn gather($($name: &Waited),+) -> End {
                End { n: [$($name.n),+].iter().sum() }
            }
        };
    }
    gather!(a, b, c, d, e, f, g, h);

    /// Eight branches that are one node, as those of graph-flow are of one task.
    #[flow]
    fn waiting(start: Start) -> End {
        flow! {
            fork(
                wait as a, wait as b, wait as c, wait as d, wait as e, wait as f, wait as g, wait as h
            ) -> join(gather)
        }
    }

    pub async fn once(ctx: &Context) {
        let run = FlowRuntime::new(Start { n: 1 }).expect("a run");
        let mut run = run.with_concurrency(8);
        run.run(ctx.clone()).await.expect("an output");
    }

    pub async fn fork() -> f64 {
        let ctx = Context::default();
        call_time(async || once(&ctx).await).await
    }
}

pub mod graph_flow {
    use std::sync::Arc;

    use async_trait::async_trait;
    use graph_flow::{
        Context, ExecutionStatus, FanOutTask, Graph, GraphBuilder, NextAction, Session, Task,
        TaskResult,
    };

    use crate::call_time;

    struct Branch(String);

    #[async_trait]
    impl Task for Branch {
        fn id(&self) -> &str {
            &self.0
        }

        async fn run(&self, context: Context) -> graph_flow::Result<TaskResult> {
            super::wait().await;
            context.set(&self.0, 1_u64)?;
            Ok(TaskResult::new(None, NextAction::End))
        }
    }

    struct Gather;

    #[async_trait]
    impl Task for Gather {
        fn id(&self) -> &str {
            "gather"
        }

        async fn run(&self, _: Context) -> graph_flow::Result<TaskResult> {
            Ok(TaskResult::new(None, NextAction::End))
        }
    }

    pub fn graph() -> Graph {
        let branches = (0..8).map(|n| Arc::new(Branch(format!("branch{n}"))) as Arc<dyn Task>);
        GraphBuilder::new("fork")
            .add_task(FanOutTask::new("fork", branches.collect()))
            .add_task(Arc::new(Gather))
            .add_edge("fork", "gather")
            .build()
            .expect("a graph")
    }

    pub async fn once(graph: &Graph) {
        let mut session = Session::new_from_task("one".into(), "fork");
        loop {
            let out = graph.execute_session(&mut session).await.expect("a step");
            if matches!(out.status, ExecutionStatus::Completed) {
                return;
            }
        }
    }

    pub async fn fork() -> f64 {
        let graph = graph();
        call_time(async || once(&graph).await).await
    }
}
