//! M6: a fork of eight branches that wait 20 ms each, in nanoseconds.

use std::time::Duration;

const WAIT: Duration = Duration::from_millis(20);

pub mod ours {
    use pravah_runtime::prelude::*;

    use super::WAIT;
    use crate::call_time;

    macro_rules! branches {
        ($($name:ident $from:ident -> $to:ident),+) => {
            #[state]
            struct Start {
                n: u64,
            }

            #[state]
            struct End {
                n: u64,
            }

            $(
                #[state]
                struct $from {
                    n: u64,
                }

                #[state]
                struct $to {
                    n: u64,
                }

                #[node]
                async fn $name(state: $from) -> $to {
                    tokio::time::sleep(WAIT).await;
                    $to { n: state.n }
                }
            )+

            #[node]
            fn split(start: Start) -> ($($from),+) {
                ($($from { n: start.n }),+)
            }

            #[node]
            fn gather($($name: $to),+) -> End {
                End { n: [$($name.n),+].iter().sum() }
            }

            #[flow]
            fn waiting(start: Start) -> End {
                flow! { split -> fork($($name),+) -> join(gather) }
            }
        };
    }
    branches!(
        a A -> DoneA, b B -> DoneB, c C -> DoneC, d D -> DoneD, e E -> DoneE, f F -> DoneF,
        g G -> DoneG, h H -> DoneH
    );

    pub async fn fork() -> f64 {
        call_time(async || {
            let run = FlowRuntime::new(Start { n: 1 }).expect("a run");
            let mut run = run.with_concurrency(8);
            run.run(Context::default()).await.expect("an output")
        })
        .await
    }
}

pub mod graph_flow {
    use std::sync::Arc;

    use async_trait::async_trait;
    use graph_flow::{
        Context, ExecutionStatus, FanOutTask, GraphBuilder, NextAction, Session, Task, TaskResult,
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

    pub async fn fork() -> f64 {
        let branches = (0..8).map(|n| Arc::new(Branch(format!("branch{n}"))) as Arc<dyn Task>);
        let graph = GraphBuilder::new("fork")
            .add_task(FanOutTask::new("fork", branches.collect()))
            .add_task(Arc::new(Gather))
            .add_edge("fork", "gather")
            .build()
            .expect("a graph");
        call_time(async || {
            let mut session = Session::new_from_task("one".into(), "fork");
            loop {
                let out = graph.execute_session(&mut session).await.expect("a step");
                if matches!(out.status, ExecutionStatus::Completed) {
                    return;
                }
            }
        })
        .await
    }
}
