//! Detached tasks that nodes start, and that other nodes wait for.

mod circles;
mod random;

use pravah_runtime::{Entries, FailureKind, invocation::TaskStatus, prelude::*};
use serde_json::json;

use super::{Finding, Plan, Report, ctx, plan, researcher, survey, text, topics};
use crate::macros_support::{Recorder, output, restart, suspended};

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Started {
    name: String,
}

#[node(agents = [researcher, survey])]
fn start_tasks(plan: &Plan) -> Invoke<Tasks> {
    Invoke::detached(topics(plan).map(|topic| match topic.name.len() {
        1 => researcher::invoke(topic),
        _ => survey::invoke(topic),
    }))
}

#[node(agents = [researcher, survey])]
fn collect(tasks: &Tasks) -> Invoke<Each<Finding>> {
    tasks.wait()
}

#[node]
fn write(findings: Each<Finding>) -> Report {
    let texts: Vec<String> = findings.into_iter().map(|finding| finding.text).collect();
    Report {
        text: texts.join(" "),
    }
}

#[flow(named)]
fn reporting(plan: Plan) -> Report {
    flow! { start_tasks -> collect -> write }
}

fn model() -> Recorder {
    Recorder::new(
        ScriptedModel::new()
            .reply("researcher[1]", text("A."))
            .reply("researcher[2]", text("B."))
            .reply("researcher[3]", text("C.")),
    )
}

fn start<const N: usize>(names: [&str; N], model: &Recorder) -> FlowRuntime<reporting> {
    let run = reporting::start(plan(names)).unwrap();
    run.with_run_id("run").with_factory(model.factory())
}

// S2.12
#[tokio::test]
async fn a_node_waits_for_the_tasks_of_another_and_gets_their_results_in_the_order_of_the_calls() {
    let model = model();
    let mut run = start(["a", "b", "c"], &model);
    assert_eq!(output(run.run(ctx()).await).text, "A. B. C.");
    assert_eq!(model.asked().len(), 3);
    let tasks = run.tasks();
    let ids: Vec<&str> = tasks.iter().map(|task| &*task.task_id).collect();
    assert_eq!(ids, ["task_1", "task_2", "task_3"]);
    assert!(
        tasks
            .iter()
            .all(|task| task.status == TaskStatus::Completed)
    );
    assert_eq!(tasks[0].preview.as_deref(), Some(r#"{"text":"A."}"#));
}

#[tokio::test]
async fn waiting_for_no_tasks_outputs_an_empty_list() {
    let mut run = start([], &model());
    assert_eq!(output(run.run(ctx()).await).text, "");
    assert!(run.tasks().is_empty());
}

#[tokio::test]
async fn no_model_call_is_repeated_whatever_step_the_run_stops_after_or_loses() {
    for (bodies, loses) in [(1, false), (8, false), (1, true), (8, true)] {
        let model = model();
        let prepared = |run: FlowRuntime<reporting>| {
            run.with_factory(model.factory()).with_concurrency(bodies)
        };
        let mut stored = serde_json::to_string(&start(["a", "b", "c"], &model)).unwrap();
        let mut is_lost = false;
        let mut steps = 0;
        let report = loop {
            steps += 1;
            assert!(steps < 200, "it loops forever");
            let run: FlowRuntime<reporting> = serde_json::from_str(&stored).unwrap();
            let mut run = prepared(run);
            let asked = model.asked().len();
            let out = run.next(ctx()).await.unwrap();
            // A step that asks a model is kept: losing it means paying again.
            is_lost = loses && !is_lost && model.asked().len() == asked;
            match out {
                _ if is_lost => {}
                RunOut::Done(report) => break report,
                RunOut::Continue => stored = serde_json::to_string(&run).unwrap(),
                out => panic!("{out:?}"),
            }
        };
        assert_eq!(report.text, "A. B. C.", "{bodies} at a time");
        assert_eq!(model.asked().len(), 3, "{bodies} at a time");
    }
}

#[tokio::test]
async fn changes_since_the_step_before_give_the_snapshot_of_each_step() {
    let model = model();
    let mut run = start(["a", "b"], &model);
    let mut stored = Entries::default();
    loop {
        let out = run.next(ctx()).await.unwrap();
        stored.apply(run.take_changes().unwrap());
        let snapshot = FlowSnapshot::from_entries(&stored).unwrap();
        let both = [snapshot, run.snapshot()].map(|it| serde_json::to_value(it).unwrap());
        assert_eq!(both[0], both[1]);
        if let RunOut::Done(report) = out {
            break assert_eq!(report.text, "A. B.");
        }
    }
}

#[tokio::test]
async fn a_task_that_asks_a_person_is_waited_for() {
    let model = model();
    let mut run = start(["a", "buses"], &model);
    let (id, _) = suspended(run.run(ctx()).await);
    let mut run = restart(&run).with_factory(model.factory());
    assert_eq!(run.tasks()[1].status, TaskStatus::Suspended);
    run.answer(ctx(), &id, "None.").await.unwrap();
    assert_eq!(output(run.run(ctx()).await).text, "A. buses: None.");
}

#[tokio::test]
async fn where_a_task_was_cancelled_the_node_that_waits_for_it_fails() {
    let model = model();
    let mut run = start(["a", "buses"], &model);
    suspended(run.run(ctx()).await);
    for mut run in [restart(&run).with_factory(model.factory()), run] {
        run.cancel_task("task_2").unwrap();
        let error = run.run(ctx()).await.unwrap_err();
        assert!(
            matches!(&error, FlowError::Failed { node, kind: FailureKind::Cancelled, .. } if node == "collect"),
            "{error:?}"
        );
        assert!(
            error.to_string().contains("the task was cancelled"),
            "{error}"
        );
    }
}

mod settled {
    use super::*;

    #[node(agents = [survey])]
    fn start_tasks(plan: &Plan) -> Invoke<Tasks> {
        Invoke::detached(topics(plan).map(survey::invoke))
    }

    #[node(agents = [survey])]
    fn collect(tasks: &Tasks) -> Invoke<Each<TaskResult<Finding>>> {
        tasks.wait_settled()
    }

    #[node]
    fn write(findings: Each<TaskResult<Finding>>) -> Report {
        let texts = findings.into_iter().map(|it| match it {
            TaskResult::Completed { output } => output.text,
            TaskResult::Failed { kind, message } => format!("{kind:?}: {message}"),
        });
        Report {
            text: texts.collect::<Vec<_>>().join("; "),
        }
    }

    #[flow(named)]
    fn settling(plan: Plan) -> Report {
        flow! { start_tasks -> collect -> write }
    }

    #[tokio::test]
    async fn how_each_task_has_ended_is_a_result() {
        let mut run = settling::start(plan(["buses", "ferries"])).unwrap();
        let (id, _) = suspended(run.run(ctx()).await);
        run.cancel_task("task_2").unwrap();
        run.answer(ctx(), &id, "None.").await.unwrap();
        let text = output(run.run(ctx()).await).text;
        assert_eq!(text, "buses: None.; Cancelled: the task was cancelled");
    }
}

mod unwaited {
    use super::*;

    #[node]
    fn report(tasks: &Tasks) -> Report {
        Report {
            text: tasks.task_ids().join(" "),
        }
    }

    #[flow(named)]
    fn leaving(plan: Plan) -> Report {
        flow! { start_tasks -> report }
    }

    #[node(agents = [researcher, survey], on_done = wait)]
    fn start_and_wait(plan: &Plan) -> Invoke<Tasks> {
        Invoke::detached(topics(plan).map(researcher::invoke))
    }

    #[flow(named)]
    fn staying(plan: Plan) -> Report {
        flow! { start_and_wait -> report }
    }

    // S2.13
    #[tokio::test]
    async fn tasks_that_nobody_waits_for_are_cancelled_when_the_flow_is_done() {
        let mut run = leaving::start(plan(["buses", "ferries"])).unwrap();
        assert_eq!(output(run.run(ctx()).await).text, "task_1 task_2");
        let statuses: Vec<TaskStatus> = run.tasks().iter().map(|task| task.status).collect();
        assert_eq!(statuses, [TaskStatus::Cancelled, TaskStatus::Cancelled]);
    }

    #[tokio::test]
    async fn a_run_that_is_to_wait_for_them_ends_after_them() {
        let model = model();
        let run = staying::start(plan(["a", "b"])).unwrap();
        let mut run = run.with_factory(model.factory());
        assert_eq!(output(run.run(ctx()).await).text, "task_1 task_2");
        let statuses: Vec<TaskStatus> = run.tasks().iter().map(|task| task.status).collect();
        assert_eq!(statuses, [TaskStatus::Completed, TaskStatus::Completed]);
        assert_eq!(model.asked().len(), 2);
    }

    #[tokio::test]
    async fn cancelling_the_run_cancels_them() {
        let mut run = leaving::start(plan(["buses"])).unwrap();
        run.next(ctx()).await.unwrap();
        run.cancel("enough").await.unwrap();
        assert_eq!(run.tasks()[0].status, TaskStatus::Cancelled);
    }
}

mod places {
    use super::*;

    #[state]
    #[derive(Clone, Debug)]
    struct Trip {
        plans: Vec<Vec<String>>,
    }

    #[node]
    fn split(trip: Trip) -> Each<Plan> {
        trip.plans
            .into_iter()
            .map(|topics| Plan { topics })
            .collect()
    }

    #[node]
    fn join_up(reports: Each<Report>) -> Report {
        let texts: Vec<String> = reports.into_iter().map(|report| report.text).collect();
        Report {
            text: texts.join(" / "),
        }
    }

    #[flow(named)]
    fn travelling(trip: Trip) -> Report {
        flow! { split -> each(start_tasks -> collect -> write) -> join_up }
    }

    #[tokio::test]
    async fn each_item_of_a_list_waits_for_the_tasks_that_it_has_started() {
        let trip = || Trip {
            plans: vec![vec!["a".into(), "b".into()], vec!["c".into()]],
        };
        for bodies in [1, 8] {
            let model = model();
            let run = travelling::start(trip()).unwrap();
            let mut run = run.with_factory(model.factory()).with_concurrency(bodies);
            let report = loop {
                match run.next(ctx()).await.unwrap() {
                    RunOut::Done(report) => break report,
                    _ => {
                        run = restart(&run)
                            .with_factory(model.factory())
                            .with_concurrency(bodies);
                    }
                }
            };
            // Which item starts first is up to the engine, and each gets what is its own.
            assert_eq!(report.text, "A. B. / C.", "{bodies} at a time");
        }
    }

    #[node]
    fn hand_on(tasks: &Tasks) -> (Tasks, Started) {
        let started = Started {
            name: tasks.task_ids().len().to_string(),
        };
        (tasks.clone(), started)
    }

    #[node(agents = [researcher])]
    fn collect_again(started: &Started, tasks: Latest<Tasks>) -> Invoke<Each<TaskResult<Finding>>> {
        assert_eq!(started.name, "2");
        tasks.wait_settled()
    }

    #[node]
    fn compare(findings: Each<Finding>, again: Each<TaskResult<Finding>>) -> Report {
        let again: Vec<_> = again
            .into_iter()
            .map(|it| it.into_result().unwrap())
            .collect();
        assert_eq!(again, findings.into_iter().collect::<Vec<_>>());
        Report {
            text: again.len().to_string(),
        }
    }

    #[flow(named)]
    fn comparing(plan: Plan) -> Report {
        flow! { start_tasks -> hand_on -> fork(collect -> join(compare), collect_again -> join(compare)) }
    }

    #[tokio::test]
    async fn several_nodes_may_wait_for_the_same_tasks() {
        for bodies in [1, 8] {
            let model = model();
            let run = comparing::start(plan(["a", "b"])).unwrap();
            let run = run.with_factory(model.factory());
            let mut run = run.with_concurrency(bodies);
            assert_eq!(output(run.run(ctx()).await).text, "2");
            assert_eq!(model.asked().len(), 2);
        }
    }
}

mod of_others {
    use super::*;

    #[state]
    #[derive(Clone, Debug, PartialEq)]
    struct Note {
        text: String,
    }

    /// You take notes.
    #[agent(model = "openai://m", output = Note)]
    fn secretary(plan: &Plan) -> String {
        plan.topics.join(" ")
    }

    #[node(agents = [secretary])]
    fn take_notes(plan: &Plan) -> Invoke<Tasks> {
        Invoke::detached([secretary::invoke(plan.clone())])
    }

    #[flow(named)]
    fn noting(plan: Plan) -> Report {
        flow! { take_notes -> collect -> write }
    }

    #[tokio::test]
    async fn a_node_waits_for_tasks_of_the_agents_that_it_names_alone() {
        let script = ScriptedModel::new().reply("secretary", text("A."));
        let run = noting::start(plan(["a"])).unwrap();
        let mut run = run.with_factory(Recorder::new(script).factory());
        let error = run.run(ctx()).await.unwrap_err();
        let expected = "`task_1` is a task of `secretary`, and this node can wait only for tasks of `researcher`, `survey`";
        assert!(error.to_string().contains(expected), "{error}");
    }
}

mod guessed {
    use super::*;

    #[state]
    struct Ids {
        ids: Vec<String>,
    }

    #[node]
    fn guess(ids: &Ids) -> Tasks {
        serde_json::from_value(json!(ids.ids)).unwrap()
    }

    #[flow(named)]
    fn guessing(ids: Ids) -> Report {
        flow! { guess -> collect -> write }
    }

    #[tokio::test]
    async fn ids_of_no_task_fail_the_node_that_waits_for_them() {
        for id in [
            "task_1",
            "task_0",
            "",
            "task_01",
            "x",
            "task_18446744073709551616",
        ] {
            let mut run = guessing::start(Ids {
                ids: vec![id.into()],
            })
            .unwrap();
            let error = run.run(ctx()).await.unwrap_err();
            assert!(
                matches!(
                    &error,
                    FlowError::Failed {
                        kind: FailureKind::Data,
                        ..
                    }
                ),
                "{error:?}"
            );
            assert!(
                error
                    .to_string()
                    .contains(&format!("there is no task `{id}`")),
                "{error}"
            );
        }
    }
}

#[tokio::test]
async fn a_snapshot_without_the_tasks_that_a_node_waits_for_fails_that_node() {
    let model = model();
    let mut run = start(["buses"], &model);
    suspended(run.run(ctx()).await);
    let mut snapshot = serde_json::to_value(&run).unwrap();
    let sections = snapshot.as_object_mut().unwrap();
    sections.remove("tasks").unwrap();
    sections.remove("lists").unwrap();
    let mut run: FlowRuntime<reporting> = serde_json::from_value(snapshot).unwrap();
    let error = run.run(ctx()).await.unwrap_err();
    assert!(
        error.to_string().contains("there is no task `task_1`"),
        "{error}"
    );
}
