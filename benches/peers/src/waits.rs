//! M6: a fork of eight branches that wait 20 ms each, in nanoseconds.

use std::time::{Duration, Instant};

const WAIT: Duration = Duration::from_millis(20);

/// The means of ours and of graph-flow on the clock, in nanoseconds. Tokio's timer counts whole milliseconds, so that
/// how long a wait takes depends on when within one it starts: both start at as many offsets, evenly spread over it.
pub async fn on_the_clock() -> (f64, f64) {
    const SAMPLES: u32 = 50;
    let graph = graph_flow::graph();
    let origin = Instant::now();
    let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
    for sample in 0..SAMPLES {
        let start = start_at(origin, sample, SAMPLES);
        graph_flow::once(&graph).await;
        theirs += start.elapsed();
        let start = start_at(origin, sample, SAMPLES);
        ours::once().await;
        ours += start.elapsed();
    }
    [ours, theirs]
        .map(|sum| sum.as_nanos() as f64 / f64::from(SAMPLES))
        .into()
}

/// Spins until offset number `sample` within a millisecond.
fn start_at(origin: Instant, sample: u32, samples: u32) -> Instant {
    let offset = 1_000_000 * sample / samples;
    loop {
        let now = Instant::now();
        let within = (now - origin).subsec_nanos() % 1_000_000;
        if within.abs_diff(offset) < 2_000 {
            return now;
        }
    }
}

pub mod ours {
    use pravah_runtime::prelude::*;

    use super::WAIT;
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
        tokio::time::sleep(WAIT).await;
        Waited { n: start.n }
    }

    macro_rules! gather {
        ($($name:ident),+) => {
            #[node]
            fn gather($($name: Waited),+) -> End {
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

    pub async fn once() {
        let run = FlowRuntime::new(Start { n: 1 }).expect("a run");
        let mut run = run.with_concurrency(8);
        run.run(Context::default()).await.expect("an output");
    }

    pub async fn fork() -> f64 {
        call_time(once).await
    }
}

pub mod graph_flow {
    use std::sync::Arc;

    use async_trait::async_trait;
    use graph_flow::{
        Context, ExecutionStatus, FanOutTask, Graph, GraphBuilder, NextAction, Session, Task,
        TaskResult,
    };

    use super::WAIT;
    use crate::call_time;

    struct Branch(String);

    #[async_trait]
    impl Task for Branch {
        fn id(&self) -> &str {
            &self.0
        }

        async fn run(&self, context: Context) -> graph_flow::Result<TaskResult> {
            tokio::time::sleep(WAIT).await;
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
