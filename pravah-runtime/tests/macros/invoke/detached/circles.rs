//! Tasks that wait for each other.

use pravah_runtime::prelude::*;
use serde_json::json;

use super::{Finding, Report, ctx, restart, write};

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Ids {
    ids: Vec<String>,
}

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Circle {
    waits: Vec<Vec<String>>,
}

#[node]
fn guess(ids: &Ids) -> Tasks {
    serde_json::from_value(json!(ids.ids)).unwrap()
}

/// Nobody can name itself: this stands for a flow that is started under the same name.
mod named {
    use super::*;

    /// Does nothing.
    #[agent(model = "openai://m", output = Finding)]
    pub(super) fn waiter(_ids: &Ids) -> String {
        panic!("nobody calls it")
    }
}

#[node(agents = [named::waiter])]
fn wait_for(tasks: &Tasks) -> Invoke<Each<TaskResult<Finding>>> {
    tasks.wait_settled()
}

#[node]
fn sum_up(findings: Each<TaskResult<Finding>>) -> Finding {
    let texts = findings.into_iter().map(|it| match it {
        TaskResult::Completed { output } => output.text,
        TaskResult::Failed { message, .. } => message,
    });
    Finding {
        text: texts.collect::<Vec<_>>().join(", "),
    }
}

/// Waits for tasks by their ids.
#[flow]
fn waiter(ids: Ids) -> Finding {
    flow! { guess -> wait_for -> sum_up }
}

#[node(agents = [waiter])]
fn start_circle(circle: &Circle) -> Invoke<Tasks> {
    let waits = circle.waits.iter().cloned();
    Invoke::detached(waits.map(|ids| waiter::invoke(Ids { ids })))
}

#[node(agents = [waiter])]
fn collect_all(tasks: &Tasks) -> Invoke<Each<Finding>> {
    tasks.wait()
}

#[flow(named)]
fn circling(circle: Circle) -> Report {
    flow! { start_circle -> collect_all -> write }
}

#[tokio::test]
async fn tasks_that_would_wait_for_each_other_do_not() {
    let ids = |ids: &[&str]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
    for waits in [
        vec![ids(&["task_1"])],
        vec![ids(&["task_2"]), ids(&["task_1"])],
        vec![
            ids(&["task_2"]),
            ids(&["task_3"]),
            ids(&["task_1"]),
            ids(&["task_1", "task_2"]),
        ],
    ] {
        for bodies in [1, 8] {
            let circle = Circle {
                waits: waits.clone(),
            };
            let run = circling::start(circle).unwrap().with_concurrency(bodies);
            let mut run = run;
            let report = loop {
                match run.next(ctx()).await.unwrap() {
                    RunOut::Done(report) => break report,
                    RunOut::Continue => run = restart(&run).with_concurrency(bodies),
                    out => panic!("{out:?}"),
                }
            };
            let refused = [
                "would wait for each other for ever",
                "would wait for itself",
            ];
            let is_refused = |text: &&str| report.text.contains(*text);
            assert!(refused.iter().any(is_refused), "{}", report.text);
        }
    }
}
