//! Detached tasks, in another version of the flow that started them.

mod renamed;

use pravah_runtime::{LoadOptions, prelude::*};

use crate::{done, lock_problems, refusal_with_help, steps, upgraded_with};

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

started_as! { with_summary,
    crate::states!(Summary);

    #[node]
    fn sum_up(report: Report) -> Summary {
        Summary { n: report.n + 1 }
    }

    #[migrate(slot)]
    fn summed_up(report: Report) -> Summary {
        Summary { n: report.n + 10 }
    }

    #[migrate]
    fn read_as_summary(report: Report) -> Summary {
        Summary { n: report.n + 20 }
    }

    #[flow(named)]
    pub(super) fn desk(plan: Plan) -> Summary {
        flow! { start_tasks -> finish -> sum_up }
    }

    pub(super) mod migrated {
        use super::*;

        #[flow(named, migrate(summed_up))]
        pub(in super::super) fn desk(plan: Plan) -> Summary {
            flow! { start_tasks -> finish -> sum_up }
        }
    }

    pub(super) mod migrated_elsewhere {
        use super::*;

        #[flow(named, migrate(read_as_summary))]
        pub(in super::super) fn desk(plan: Plan) -> Summary {
            flow! { start_tasks -> finish -> sum_up }
        }
    }
}

started_as! { without_tasks,
    #[node]
    fn write(plan: &Plan) -> Report {
        Report { n: plan.n }
    }

    #[flow(named)]
    pub(super) fn desk(plan: Plan) -> Report {
        flow! { write }
    }
}

/// A run that has returned, and waits for its task.
async fn returned() -> FlowRuntime<v1::desk> {
    let mut run = FlowRuntime::<v1::desk>::start(v1::Plan { n: 3 }).unwrap();
    loop {
        run.next(Context::default()).await.unwrap();
        let snapshot = serde_json::to_value(run.snapshot()).unwrap();
        if snapshot.get("awaits_tasks").is_some() {
            return run;
        }
    }
}

#[tokio::test]
async fn a_run_that_has_returned_something_else_is_refused_with_what_helps() {
    let run = returned().await;
    let help = "return `Report` as before; if it is called `Summary` now, it keeps its earlier name with `#[serde(rename = \"Report\")]`; a `#[migrate(slot)]` function that `#[flow(migrate(…))]` names turns it into `Summary`";
    assert_eq!(
        refusal_with_help::<with_summary::desk, _>(&run),
        format!(
            "the run has returned `Report`, and the flow returns `Summary` (the snapshot is of another version of the flow); help: {help}"
        )
    );
    let migration = "the migration `read_as_summary` reads `Report`, and does not move it: write `#[migrate(slot)]`";
    let why = refusal_with_help::<with_summary::migrated_elsewhere::desk, _>(&run);
    assert!(why.contains(migration), "{why}");

    let problems = |new| lock_problems(("1", v1::desk::graph()), new, &LoadOptions::new());
    let problem = "version 1: a run that has returned a `Report` and waits for its detached tasks cannot end: this version returns `Summary`";
    assert_eq!(problems(with_summary::desk::graph()), [problem]);
    assert_eq!(
        problems(with_summary::migrated_elsewhere::desk::graph()),
        [format!("{problem}; {migration}")]
    );
}

#[test]
fn a_flow_without_tasks_that_outlive_it_may_return_something_else() {
    let problems = lock_problems(
        ("1", without_tasks::desk::graph()),
        with_summary::desk::graph(),
        &LoadOptions::new(),
    );
    assert_eq!(problems, [""; 0]);
}

#[tokio::test]
async fn what_a_run_has_returned_is_migrated_while_it_waits_for_tasks() {
    let run = returned().await;
    let mut after =
        upgraded_with::<with_summary::migrated::desk, _>(&run, &LoadOptions::new()).unwrap();
    assert_eq!(after.load_report().unwrap().migrated, ["/output/Report"]);
    assert_eq!(done(&mut after).await.n, 11);
    let new = with_summary::migrated::desk::graph();
    assert_eq!(
        lock_problems(("1", v1::desk::graph()), new, &LoadOptions::new()),
        [""; 0]
    );
}
