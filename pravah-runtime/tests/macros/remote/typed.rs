//! Agents with `runner = …`: as nodes of a flow, and called by agents and by nodes.

mod calls;
mod tree;

use std::time::Duration;

use pravah_runtime::{Unmet, invocation::RemoteUpdate};

use super::*;
use crate::macros_support::{restart, suspended};

#[state]
struct Question {
    text: String,
}
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Report {
    text: String,
}

/// What runs there, under the same names.
mod there {
    use super::{Finding, Topic, look_up};
    use pravah_runtime::prelude::*;

    /// You look things up.
    #[agent(model = "openai://m", output = Finding, tools = [look_up])]
    pub(super) fn archivist(topic: &Topic) -> String {
        topic.name.clone()
    }
}

/// Looks things up in the archive.
#[agent(runner = "loopback", output = Finding)]
pub(super) fn archivist(topic: &Topic) -> String {
    format!("What of {}?", topic.name)
}

#[flow(named)]
fn research(topic: Topic) -> Finding {
    flow! { archivist }
}

fn topic() -> Topic {
    Topic {
        name: "trains".to_owned(),
    }
}

/// Where the archivist runs.
fn archive(model: &Recorder) -> Arc<LoopbackRunner> {
    let agents = AgentRegistry::new()
        .with_agent::<there::archivist>()
        .with_agent_named::<super::survey>("surveyor");
    let context = Context::default().with_dep(model.factory());
    Arc::new(LoopbackRunner::new(agents).with_context(context))
}

fn archive_script() -> ScriptedModel {
    ScriptedModel::new()
        .call("archivist", "look_up", json!({ "word": "train" }))
        .reply("archivist", json!({ "text": "A train." }))
}

#[tokio::test]
async fn a_remote_agent_is_a_node_of_a_flow_and_is_told_what_its_function_writes() {
    let model = Recorder::new(archive_script());
    let runner = archive(&model);
    let run = research::start(topic()).unwrap();
    let mut run = run.with_runner(Arc::clone(&runner)).with_run_id("run");
    let finding = output(run.run(ctx()).await);
    assert_eq!(finding.text, "A train.");
    assert_eq!(model.prompt(), "What of trains?");
    let [task] = &runner.tasks()[..] else {
        panic!("one task")
    };
    assert_eq!(task.task_id, "run/archivist(Topic)#1@1");
    assert_eq!(task.runner, loopback());
}

#[tokio::test]
async fn it_goes_on_in_another_process_that_has_the_runner() {
    let model = Recorder::new(archive_script());
    let runner = archive(&model);
    let mut run = research::start(topic())
        .unwrap()
        .with_runner(Arc::clone(&runner));
    let finding = loop {
        if let RunOut::Done(finding) = run.next(ctx()).await.unwrap() {
            break finding;
        }
        run = restart(&run).with_runner(Arc::clone(&runner));
    };
    assert_eq!(finding.text, "A train.");
    assert_eq!(model.asked().len(), 2);
}

#[tokio::test]
async fn without_its_runner_it_fails_and_goes_on_once_that_is_there() {
    let mut run = research::start(topic()).unwrap();
    let unmet = run.preflight(&ctx());
    let [Unmet::Runner { node, .. }] = &unmet[..] else {
        panic!("{unmet:?}")
    };
    assert_eq!(node, "archivist");
    let expected = "agent `archivist` cannot run: it needs the runner `loopback`, and there is none: add it with `with_runner`, also after a restore";
    assert_eq!(unmet[0].to_string(), expected);
    let error = run.run(ctx()).await.unwrap_err();
    assert!(
        matches!(&error, FlowError::Runner { node, .. } if node == "archivist"),
        "{error}"
    );
    let runner = archive(&Recorder::new(archive_script()));
    let mut run = run.with_runner(runner);
    assert!(run.preflight(&ctx()).is_empty());
    assert_eq!(output(run.run(ctx()).await).text, "A train.");
}

mod unfit {
    use super::*;

    #[state]
    pub(super) struct Sheets {
        pub(super) count: u32,
    }

    /// Returns a finding, and not this.
    #[agent(runner = "loopback", output = Sheets)]
    fn archivist(topic: &Topic) -> String {
        topic.name.clone()
    }

    #[flow(named)]
    pub(super) fn counting(topic: Topic) -> Sheets {
        flow! { archivist }
    }
}

#[tokio::test]
async fn what_it_returns_has_to_be_its_output() {
    let runner = archive(&Recorder::new(archive_script()));
    let mut run = unfit::counting::start(topic()).unwrap().with_runner(runner);
    let error = run.run(ctx()).await.map(|_| ()).unwrap_err();
    let expected =
        "remote agent `archivist` failed: what it returned does not fit: missing field `count`";
    assert_eq!(error.to_string(), expected);
}

/// A runner of agents that return this text.
fn says(text: &'static str) -> Stub {
    Stub::new(move |_| async move { Ok(RemoteUpdate::completed(text)) })
}

#[tokio::test]
async fn a_text_that_is_json_is_read_as_that() {
    let run = research::start(topic()).unwrap();
    let mut run = run.with_runner(says(r#"{ "text": "None." }"#));
    assert_eq!(output(run.run(ctx()).await).text, "None.");
    let mut run = research::start(topic()).unwrap().with_runner(says("None."));
    let error = run.run(ctx()).await.map(|_| ()).unwrap_err().to_string();
    assert!(
        error.contains("does not fit: invalid type: string \"None.\""),
        "{error}"
    );
}

mod tried_again {
    use super::*;

    #[agent(runner = "loopback", output = Finding, retry(max_attempts = 2), timeout = "30s")]
    fn archivist(topic: &Topic) -> String {
        topic.name.clone()
    }

    #[node]
    fn give_up(failure: Failure<Topic>) -> Finding {
        Finding {
            text: failure.message,
        }
    }

    #[flow(named)]
    pub(super) fn stubborn(topic: Topic) -> Finding {
        flow! { archivist; catch(archivist) -> give_up }
    }
}

#[tokio::test(start_paused = true)]
async fn another_attempt_is_another_task_and_one_that_is_too_slow_is_cancelled() {
    let (asked, runner) = super::cancels::endless(0);
    let run = tried_again::stubborn::start(topic()).unwrap();
    let mut run = run.with_runner(runner);
    let start = tokio::time::Instant::now();
    let finding = output(run.run(ctx()).await);
    assert_eq!(finding.text, "node `archivist` took longer than 30s");
    let took = start.elapsed();
    assert!(
        (Duration::from_secs(60)..Duration::from_secs(70)).contains(&took),
        "{took:?}"
    );
    let started = asked.started();
    assert_eq!(started.len(), 2);
    assert_ne!(started[0], started[1]);
    assert_eq!(asked.cancelled(), started);
}

mod asking {
    use super::*;

    /// Asks a person.
    #[agent(runner = "loopback", output = Finding, timeout = "1s")]
    fn surveyor(_: &Topic) -> String {
        r#"{ "name": "trains" }"#.to_owned()
    }

    #[flow(named)]
    pub(super) fn surveying(topic: Topic) -> Finding {
        flow! { surveyor }
    }
}

#[tokio::test(start_paused = true)]
async fn the_timeout_is_paused_while_a_person_is_asked() {
    let runner = archive(&Recorder::new(ScriptedModel::new()));
    let run = asking::surveying::start(topic()).unwrap();
    let mut run = run.with_runner(Arc::clone(&runner));
    let (id, question) = suspended(run.run(ctx()).await);
    assert_eq!(
        (&*id, &question["prompt"]),
        ("surveyor", &json!("What of trains?"))
    );
    tokio::time::sleep(Duration::from_secs(3600)).await;
    let mut run = restart(&run).with_runner(runner);
    let error = run
        .answer(ctx(), &id, "many")
        .await
        .map(|_| ())
        .unwrap_err();
    assert!(matches!(error, FlowError::ResumePayload { .. }), "{error}");
    run.answer(ctx(), &id, 7).await.unwrap();
    assert_eq!(output(run.run(ctx()).await).text, "trains: 7");
}

#[tokio::test]
async fn a_registry_runs_a_remote_agent_with_its_own_runners() {
    let runner = archive(&Recorder::new(archive_script()));
    let registry = AgentRegistry::new()
        .with_agent::<archivist>()
        .with_runner(runner);
    let invocation = Invocation::single(Target::named("archivist", "Trains?"));
    let mut run = registry.invoke(invocation).unwrap();
    assert_eq!(scalar(output(run.run(ctx()).await)).content, trains());
}

#[test]
fn a_remote_agent_refuses_what_is_for_a_model() {
    let config = AgentConfig::remote("", "loopback").with_fallback("openai://m");
    let problems = config.check().unwrap_err();
    assert_eq!(problems, ["`fallback` has no effect on a remote agent"]);
    assert!(AgentConfig::remote("", "loopback").check().is_ok());
}

#[tokio::test]
async fn a_run_that_goes_on_after_a_failure_starts_another_task() {
    let script = ScriptedModel::new().error("archivist", "out of order");
    let failing = archive(&Recorder::new(script));
    let mut run = research::start(topic())
        .unwrap()
        .with_runner(Arc::clone(&failing));
    for _ in 0..2 {
        let error = run.run(ctx()).await.map(|_| ()).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("remote agent `archivist` failed: "),
            "{error}"
        );
    }
    let ids: Vec<String> = failing
        .tasks()
        .into_iter()
        .map(|task| task.task_id)
        .collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
}

#[tokio::test]
async fn a_prompt_with_an_image_is_refused() {
    let mut run = showing::show::start(topic()).unwrap();
    let error = run.run(ctx()).await.map(|_| ()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("a remote agent is told text alone"),
        "{error}"
    );
}

mod showing {
    use pravah_runtime::{Media, Prompt};

    use super::*;

    #[agent(runner = "loopback", output = Finding)]
    fn archivist(_: &Topic) -> Prompt {
        Prompt::new().image(Media::new("image/png", vec![1, 2, 3]))
    }

    #[flow(named)]
    pub(super) fn show(topic: Topic) -> Finding {
        flow! { archivist }
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_attempt_whose_runner_is_missing_goes_on_with_it() {
    let updates = std::sync::Mutex::new(vec![
        Ok(RemoteUpdate::completed(r#"{ "text": "A train." }"#)),
        Ok(RemoteUpdate::failed("out of order")),
    ]);
    let starts = Arc::new(std::sync::atomic::AtomicU32::new(0));
    let counted = Arc::clone(&starts);
    let stub = Stub::new(move |_| {
        let update = updates.lock().unwrap().pop().unwrap();
        async { update }
    });
    let stub = stub.on_start(move |task_id| {
        counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        async { Ok(task_id) }
    });
    let stub = Arc::new(stub);
    let run = tried_again::stubborn::start(topic()).unwrap();
    let mut run = run.with_runner(Arc::clone(&stub));
    while starts.load(std::sync::atomic::Ordering::Relaxed) < 2 {
        if let RunOut::Waiting { .. } = run.next(ctx()).await.unwrap() {
            run.wait().await;
        }
    }
    let mut run = restart(&run);
    let error = run.run(ctx()).await.map(|_| ()).unwrap_err();
    assert!(
        error.to_string().contains("add it with `with_runner`"),
        "{error}"
    );
    let mut run = run.with_runner(stub);
    assert_eq!(output(run.run(ctx()).await).text, "A train.");
    assert_eq!(starts.load(std::sync::atomic::Ordering::Relaxed), 2);
}
