//! Three generations, of which the last is remote: a crash between any two steps repeats no model call, whichever
//! step is lost with it.

use std::collections::BTreeMap;

use pravah_runtime::{FlowRuntime, RunOut};

use super::*;

/// You read.
#[agent(model = "openai://m", output = Finding, tools = [look_up], agents = [archivist])]
fn reader(topic: &Topic) -> String {
    topic.name.clone()
}

/// You lead.
#[agent(
    model = "openai://m",
    output = Report,
    agents = [reader, archivist],
    delegation(join = [single, all, detached], max_depth = 2, on_done = wait),
)]
fn lead(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn leading(question: Question) -> Report {
    flow! { lead }
}

fn script() -> ScriptedModel {
    let reader = json!({ "agent": "reader", "prompt": "Read." });
    let archivist = json!({ "agent": "archivist", "prompt": "Look up." });
    ScriptedModel::new()
        .calls(
            "lead",
            [
                (
                    "call_agent",
                    json!({ "join": "all", "targets": [reader, archivist] }),
                ),
                (
                    "call_agent",
                    json!({ "join": "detached", "targets": [archivist, reader] }),
                ),
            ],
        )
        .call("lead", "wait_task", json!({ "task_id": "task_1" }))
        .call("lead", "submit", json!({ "text": "Done." }))
        .calls(
            "reader",
            [
                ("look_up", json!({ "word": "train" })),
                (
                    "call_agent",
                    json!({ "agent": "archivist", "prompt": "Look up." }),
                ),
            ],
        )
        .call("reader", "submit", json!({ "text": "Read." }))
}

fn start() -> FlowRuntime<leading> {
    let question = Question {
        text: "Trains?".to_owned(),
    };
    leading::start(question).unwrap().with_run_id("run")
}

/// The same run in another process.
fn again(
    run: &FlowRuntime<leading>,
    (here, runner): (&Recorder, &Arc<LoopbackRunner>),
    bodies: usize,
) -> FlowRuntime<leading> {
    let run = restart(run).with_runner(Arc::clone(runner));
    run.with_factory(here.factory()).with_concurrency(bodies)
}

/// What was asked how often, by whom and with how much said.
fn asked(model: &Recorder) -> BTreeMap<(String, Vec<usize>, usize), usize> {
    let mut counts = BTreeMap::new();
    for request in model.asked() {
        let key = (request.node, request.items, request.messages.len());
        *counts.entry(key).or_default() += 1;
    }
    counts
}

/// The report, how the detached tasks have ended, and the number of steps.
async fn through_restarts(
    (here, there): (&Recorder, &Recorder),
    bodies: usize,
    lost: Option<usize>,
) -> (Report, Vec<TaskStatus>, usize) {
    let runner = archive(there);
    let mut run = again(&start(), (here, &runner), bodies);
    for number in 0.. {
        assert!(number < 200, "it goes on for ever");
        if lost == Some(number) {
            let mut lost = again(&run, (here, &runner), bodies);
            drop(lost.next(ctx()).await);
        }
        run = again(&run, (here, &runner), bodies);
        match run.next(ctx()).await.unwrap() {
            RunOut::Done(report) => {
                let tasks = run.tasks();
                let statuses = tasks.iter().map(|task| task.status).collect();
                return (report, statuses, number);
            }
            RunOut::Waiting { .. } => run.wait().await,
            _ => {}
        }
    }
    panic!("it goes on for ever")
}

fn check(report: &Report, statuses: &[TaskStatus]) {
    assert_eq!(report.text, "Done.");
    assert_eq!(statuses, [TaskStatus::Completed, TaskStatus::Completed]);
}

#[tokio::test(start_paused = true)]
async fn a_restore_after_every_step_changes_nothing_and_asks_nobody_twice() {
    for bodies in [1, 8] {
        let (here, there) = (Recorder::new(script()), Recorder::new(archive_script()));
        let (report, statuses, _) = through_restarts((&here, &there), bodies, None).await;
        check(&report, &statuses);
        // Three that were called, and one that is detached.
        assert_eq!(there.asked().len(), 2 * 4);
        assert!(
            asked(&here).values().all(|count| *count == 1),
            "{:?}",
            asked(&here)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn whichever_step_is_lost_a_remote_model_is_asked_once() {
    let (here, there) = (Recorder::new(script()), Recorder::new(archive_script()));
    let (_, _, steps) = through_restarts((&here, &there), 1, None).await;
    let expected = there.asked().len();
    for lost in 0..steps {
        let (here, there) = (Recorder::new(script()), Recorder::new(archive_script()));
        let (report, statuses, _) = through_restarts((&here, &there), 1, Some(lost)).await;
        check(&report, &statuses);
        assert_eq!(there.asked().len(), expected, "step {lost}");
        // At most the lost step itself is made again here: its model call was never committed.
        let repeated = asked(&here).values().filter(|count| **count > 1).count();
        assert!(repeated <= 1, "step {lost}: {:?}", asked(&here));
    }
}
