//! Detached tasks, in another version of the flow that started them.

use pravah_runtime::{LoadOptions, prelude::*};

use crate::{done, lock_problems, steps, upgraded_with};

/// A node that starts a task, with what comes before it.
macro_rules! started_as {
    ($version:ident, $($flow:tt)*) => {
        #[allow(dead_code, reason = "not every version has every node")]
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Plan, Topic, Finding, Report);

            #[node]
            fn look_up(topic: Topic) -> Finding {
                Finding { n: topic.n }
            }

            #[flow(named)]
            fn survey(topic: Topic) -> Finding {
                flow! { look_up }
            }

            #[node]
            fn prepare(plan: Plan) -> Plan {
                plan
            }

            #[node(agents = [survey], on_done = wait)]
            fn start_tasks(plan: &Plan) -> Invoke<Tasks> {
                Invoke::detached([survey::invoke(Topic { n: plan.n })])
            }

            #[node]
            fn finish(_: Tasks) -> Report {
                Report { n: 1 }
            }

            $($flow)*
        }
    };
}
started_as! { v1,
    #[flow(named)]
    pub(super) fn desk(plan: Plan) -> Report {
        flow! { start_tasks -> finish }
    }
}
started_as! { v2,
    #[flow(named)]
    pub(super) fn desk(plan: Plan) -> Report {
        flow! { prepare -> start_tasks -> finish }
    }
}

#[tokio::test]
async fn tasks_resume_where_another_node_takes_the_state_of_the_node_that_started_them() {
    let version = v1::desk::graph().unwrap().version();
    let options = LoadOptions::new().with_version(version);
    let mut run = FlowRuntime::<v1::desk>::start(v1::Plan { n: 3 }).unwrap();
    steps(&mut run, 1).await;
    assert_eq!(run.tasks().len(), 1);
    let mut after = upgraded_with::<v2::desk, _>(&run, &options).unwrap();
    assert_eq!(after.tasks().len(), 1);
    assert_eq!(done(&mut after).await.n, 1);
    assert_eq!(
        lock_problems(("1", v1::desk::graph()), v2::desk::graph(), &options),
        [""; 0]
    );
}
