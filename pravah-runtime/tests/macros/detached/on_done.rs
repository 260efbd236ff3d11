//! Tasks that have not ended when the flow is done.

use pravah_runtime::{RunStatus, invocation::TaskStatus, prelude::*};
use serde_json::json;

use super::{
    Finding, Question, Report, clock, ctx, in_background, question, researcher, rest, run_by, text,
};
use crate::macros_support::{Recorder, output, restart, suspended};

/// You search.
#[agent(model = "openai://m", output = Finding, agents = [researcher], delegation(join = [single, detached], on_done = cancel))]
fn brief(question: &Question) -> String {
    question.text.clone()
}

/// You write reports, and your tasks go on when you are done.
#[agent(
    model = "openai://m",
    output = Report,
    agents = [researcher, brief],
    delegation(join = [single, detached], on_done = wait, max_depth = 2),
)]
fn patient(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn patiently(question: Question) -> Report {
    flow! { patient }
}

#[tokio::test]
async fn open_tasks_are_cancelled_when_the_flow_is_done() {
    let script = ScriptedModel::new()
        .call("lead", "call_agent", in_background(&["One."]))
        .call("researcher", "nothing", json!({}))
        .call("researcher", "nothing", json!({}))
        .call("lead", "submit", text("Done."));
    let (mut run, model) = run_by(script);
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    assert_eq!(run.tasks()[0].status, TaskStatus::Cancelled);
    assert!(run.tasks()[0].ended_at.is_some());
    let asked = model.asked();
    let of_task = asked.iter().filter(|request| request.node == "researcher");
    assert_eq!(of_task.count(), 1);
    assert_eq!(restart(&run).tasks(), run.tasks());
}

#[tokio::test]
async fn the_host_cancels_a_task_and_the_run_that_has_waited_for_it_alone_is_done() {
    let script = ScriptedModel::new()
        .call("patient", "call_agent", in_background(&["One."]))
        .call("patient", "submit", text("Done."))
        .call("researcher", "ask", json!({}));
    for restarts in [false, true] {
        let model = Recorder::new(script.clone());
        let run = patiently::start(question()).unwrap();
        let mut run = run.with_factory(model.factory());
        suspended(run.run(ctx()).await);
        assert_eq!(run.tasks()[0].status, TaskStatus::Suspended);
        let mut events = run.events();
        let cancelled = run.cancel_task("task_1").unwrap();
        assert_eq!(cancelled.status, TaskStatus::Cancelled);
        assert_eq!(run.cancel_task("task_1").unwrap(), cancelled);
        assert!(run.suspensions().is_empty());
        if restarts {
            run = restart(&run);
            events = run.events();
        }
        let RunOut::Done(report) = run.next(ctx()).await.unwrap() else {
            panic!("nothing is left to do")
        };
        assert_eq!(report.text, "Done.");
        let mut names = Vec::new();
        while let Some(event) = events.next().await {
            names.push(event.kind.name().to_owned());
        }
        assert_eq!(names.last().map(String::as_str), Some("harness:complete"));
        let error = run.cancel_task("task_1").unwrap_err();
        assert!(matches!(error, FlowError::Finished));
    }
}

#[tokio::test]
async fn a_task_that_the_host_cancels_ends_the_wait_of_its_agent() {
    let script = ScriptedModel::new()
        .call("patient", "call_agent", in_background(&["One."]))
        .call(
            "patient",
            "wait_task",
            json!({ "task_id": "task_1", "timeout_seconds": 3600 }),
        )
        .call("researcher", "ask", json!({}))
        .call("patient", "submit", text("Done."));
    let model = Recorder::new(script);
    let run = patiently::start(question()).unwrap();
    let mut run = run.with_factory(model.factory());
    rest(&mut run).await;
    let error = run.cancel_task("task_7").unwrap_err();
    assert_eq!(error.to_string(), "`task_7` was not found; known: `task_1`");
    run.cancel_task("task_1").unwrap();
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    let told = model.results()[0].text.to_string();
    assert!(told.contains(r#""status":"cancelled""#), "{told}");
}

#[tokio::test]
async fn a_run_that_waits_for_its_tasks_ends_with_what_the_flow_has_returned() {
    let script = ScriptedModel::new()
        .call("patient", "call_agent", in_background(&["One.", "Two."]))
        .call("patient", "submit", text("Done."))
        .call("researcher[1]", "ask", json!({}))
        .reply("researcher[2]", text("second"))
        .reply("researcher[1]", text("first"));
    for restarts in [false, true] {
        let model = Recorder::new(script.clone());
        let mut run = patiently::start(question()).unwrap();
        run = run.with_factory(model.factory());
        loop {
            match run.next(ctx()).await.unwrap() {
                RunOut::Continue if restarts => run = restart(&run).with_factory(model.factory()),
                RunOut::Continue => {}
                out => {
                    assert_eq!(suspended(Ok(out)).0, "researcher::ask[1]");
                    break;
                }
            }
        }
        // The other task goes on before anybody has answered.
        let error = loop {
            match run.next(ctx()).await {
                Ok(_) => {}
                Err(error) => break error,
            }
        };
        assert!(matches!(error, FlowError::ResumeRequired(_)), "{error}");
        assert!(run.output().unwrap().is_none());
        assert!(matches!(run.status(), RunStatus::Suspended { .. }));
        let status = |task: usize| run.tasks()[task].status;
        assert_eq!(
            (status(0), status(1)),
            (TaskStatus::Suspended, TaskStatus::Completed)
        );
        run.resume(ctx(), ("researcher::ask[1]", json!("Yes.")))
            .await
            .unwrap();
        assert_eq!(output(run.run(ctx()).await).text, "Done.");
        assert_eq!(run.tasks()[0].status, TaskStatus::Completed);
        assert_eq!(
            run.tasks()[0].preview.as_deref(),
            Some(r#"{"text":"first"}"#)
        );
    }
}

#[tokio::test]
async fn the_run_does_not_wait_for_tasks_of_an_agent_that_cancels_them_with_the_flow() {
    let script = ScriptedModel::new()
        .call(
            "patient",
            "call_agent",
            json!({ "join": "detached", "agent": "brief", "prompt": "Go." }),
        )
        .call("patient", "submit", text("Done."))
        .call("brief", "call_agent", in_background(&["One."]))
        .call("brief", "submit", text("brief"))
        .call("researcher", "ask", json!({}));
    let model = Recorder::new(script);
    let mut run = patiently::start(question())
        .unwrap()
        .with_factory(model.factory());
    assert_eq!(rest(&mut run).await, "done: Report { text: \"Done.\" }");
}

#[tokio::test]
async fn the_tasks_of_a_cancelled_run_have_ended_and_ask_nobody() {
    let script = ScriptedModel::new()
        .call("lead", "call_agent", in_background(&["One."]))
        .call(
            "lead",
            "wait_task",
            json!({ "task_id": "task_1", "timeout_seconds": 50 }),
        )
        .call("researcher", "ask", json!({}));
    let model = Recorder::new(script);
    let run = FlowRuntime::new(question()).unwrap();
    let mut run = run.with_factory(model.factory()).with_clock(clock());
    rest(&mut run).await;
    run.cancel("enough").await.unwrap();
    for run in [&run, &restart(&run)] {
        let task = &run.tasks()[0];
        assert_eq!(task.status, TaskStatus::Cancelled);
        assert_eq!(task.ended_at, Some(1_000_000));
        assert!(run.suspensions().is_empty());
    }
}
