//! Questions of remote agents.

use std::sync::Mutex;

use pravah_runtime::invocation::{RemoteUpdate, RunnerError, RunnerErrorKind};

use super::*;
use crate::macros_support::suspended;

fn asking(topics: &[&str]) -> Invocation {
    let target = |topic: &&str| Target::named("survey", json!({ "name": topic }).to_string());
    Invocation::all(topics.iter().map(target))
}

fn start(topics: &[&str]) -> (AgentRegistry, FlowRuntime<AgentRegistry>) {
    let runner = other_process(&Recorder::new(script()));
    let registry = here(&runner);
    let run = registry.invoke(asking(topics)).unwrap();
    (registry, run)
}

fn texts(result: &InvocationResult) -> Vec<&str> {
    let results = result.results().iter();
    results
        .map(|result| result.content["text"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn a_question_suspends_the_run_here_and_the_answer_goes_there() {
    let (registry, mut run) = start(&["trains"]);
    let (id, question) = suspended(run.run(ctx()).await);
    assert_eq!(id, "remote[0]");
    assert_eq!(question["prompt"], "What of trains?");
    let mut run = restored(&registry, &run);
    assert_eq!(run.suspensions()[0].tool_id, id);
    run.answer(ctx(), &id, 7).await.unwrap();
    let mut run = restored(&registry, &run);
    assert_eq!(texts(&output(run.run(ctx()).await)), ["trains: 7"]);
}

#[tokio::test]
async fn others_go_on_while_one_asks_and_each_answer_finds_its_question() {
    for bodies in [1, 8] {
        let (_, run) = start(&["trains", "ferries", "planes"]);
        let mut run = run.with_concurrency(bodies);
        suspended(run.run(ctx()).await);
        let open: Vec<String> = run
            .suspensions()
            .iter()
            .map(|it| it.tool_id.clone())
            .collect();
        assert_eq!(open, ["remote[0]", "remote[1]", "remote[2]"]);
        for (number, id) in open.iter().enumerate().rev() {
            run.answer(ctx(), id, number).await.unwrap();
        }
        let result = output(run.run(ctx()).await);
        assert_eq!(texts(&result), ["trains: 0", "ferries: 1", "planes: 2"]);
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_leaves_the_question_open() {
    let (_, mut run) = start(&["trains"]);
    let (id, question) = suspended(run.run(ctx()).await);
    let before = serde_json::to_value(&run).unwrap();
    let error = run.answer(ctx(), &id, "many").await.unwrap_err();
    assert!(
        matches!(&error, FlowError::ResumePayload { id: open, .. } if *open == id),
        "{error}"
    );
    assert!(error.to_string().contains("invalid type"), "{error}");
    assert_eq!(serde_json::to_value(&run).unwrap(), before);
    let (again, same) = suspended(run.run(ctx()).await);
    assert_eq!((again, same), (id.clone(), question));
    run.answer(ctx(), &id, 7).await.unwrap();
    assert_eq!(texts(&output(run.run(ctx()).await)), ["trains: 7"]);
}

#[tokio::test]
async fn an_answer_that_nobody_waits_for_and_that_does_not_fit_asks_again() {
    let (registry, mut run) = start(&["trains"]);
    let (id, question) = suspended(run.run(ctx()).await);
    // The process dies before the step that hands the answer over.
    run.pause();
    run.answer(ctx(), &id, "many").await.unwrap();
    let mut run = restored(&registry, &run);
    run.unpause();
    let (id, again) = suspended(run.next(ctx()).await);
    assert_eq!((&*id, again), ("remote[0]", question));
    run.answer(ctx(), &id, 7).await.unwrap();
    assert_eq!(texts(&output(run.run(ctx()).await)), ["trains: 7"]);
}

#[tokio::test]
async fn an_answer_whose_step_was_lost_is_handed_over_again() {
    let (registry, mut run) = start(&["trains"]);
    let (id, _) = suspended(run.run(ctx()).await);
    run.pause();
    run.answer(ctx(), &id, 7).await.unwrap();
    let mut lost = restored(&registry, &run);
    lost.unpause();
    lost.next(ctx()).await.unwrap();
    let mut run = restored(&registry, &run);
    run.unpause();
    assert_eq!(texts(&output(run.run(ctx()).await)), ["trains: 7"]);
}

#[gate(prompt = "How many?", timeout = "5s")]
fn hurry(_: &Topic, answer: u32) -> Finding {
    Finding {
        text: answer.to_string(),
    }
}

/// Asks a person who has to hurry.
#[flow(named)]
fn hurried(topic: Topic) -> Finding {
    flow! { hurry }
}

#[tokio::test(start_paused = true)]
async fn the_deadline_of_a_question_is_known_here_and_passes_there() {
    let runner = Arc::new(LoopbackRunner::new(
        AgentRegistry::new().with_agent::<hurried>(),
    ));
    let registry = AgentRegistry::new()
        .with_runner(runner)
        .with_remote_agent("hurried", "loopback");
    let target = Target::named("hurried", json!({ "name": "trains" }).to_string());
    let mut run = registry.invoke(Invocation::single(target)).unwrap();
    suspended(run.run(ctx()).await);
    assert!(run.suspensions()[0].until.is_some());
    let mut run = restored(&registry, &run);
    assert!(run.suspensions()[0].until.is_some());
    tokio::time::sleep(std::time::Duration::from_secs(6)).await;
    run.next(ctx()).await.unwrap();
    let result = scalar(output(run.run(ctx()).await));
    assert_eq!(result.status, TaskStatus::Failed);
    assert!(
        result
            .content
            .as_str()
            .unwrap()
            .ends_with("took longer than 5s")
    );
}

/// The ids of the questions that were answered.
type Answered = Arc<Mutex<Vec<String>>>;

/// A run whose task has asked two things at once, takes good answers, and goes on meanwhile or does not.
async fn asked_twice(goes_on: bool) -> (Answered, FlowRuntime<AgentRegistry>) {
    let answered = Answered::default();
    let (seen, taken) = (Arc::clone(&answered), Arc::clone(&answered));
    let status = match goes_on {
        true => TaskStatus::Running,
        false => TaskStatus::Suspended,
    };
    let stub = Stub::new(move |_| {
        let seen = seen.lock().unwrap().clone();
        let open: Vec<_> = ["one", "two"]
            .into_iter()
            .filter(|id| !seen.iter().any(|known| known == id))
            .collect();
        async move {
            Ok(match open.is_empty() {
                true => RemoteUpdate::completed("done"),
                false => open
                    .into_iter()
                    .fold(RemoteUpdate::new(status), |update, id| {
                        update.with_question(id, id)
                    }),
            })
        }
    });
    let stub = stub.on_answer(move |id, answer| {
        let is_good = answer == "good";
        if is_good {
            taken.lock().unwrap().push(id);
        }
        let bad = || RunnerError::new(RunnerErrorKind::InvalidAnswer, "not good");
        async move { is_good.then_some(()).ok_or_else(bad) }
    });
    let mut run = run_by(stub).invoke(look_up_trains()).unwrap();
    while run.suspensions().len() < 2 {
        run.next(ctx()).await.unwrap();
    }
    (answered, run)
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_fit_does_not_keep_a_task_from_going_on() {
    let (answered, mut run) = asked_twice(true).await;
    let before = run.status();
    let error = run
        .answer(ctx(), "remote[0]", "bad")
        .await
        .map(|_| ())
        .unwrap_err();
    assert!(matches!(error, FlowError::ResumePayload { .. }), "{error}");
    assert_eq!(run.status(), before);
    *answered.lock().unwrap() = ["one", "two"].map(str::to_owned).to_vec();
    assert_eq!(scalar(output(run.run(ctx()).await)).content, "done");
}

#[tokio::test]
async fn an_answer_that_does_not_fit_does_not_keep_another_one_from_its_task() {
    let (answered, mut run) = asked_twice(false).await;
    run.pause();
    run.answer(ctx(), "remote[0]#2", "good").await.unwrap();
    run.unpause();
    run.answer(ctx(), "remote[0]", "bad")
        .await
        .map(|_| ())
        .unwrap_err();
    suspended(run.run(ctx()).await);
    assert_eq!(*answered.lock().unwrap(), ["two"]);
    run.answer(ctx(), "remote[0]", "good").await.unwrap();
    assert_eq!(scalar(output(run.run(ctx()).await)).content, "done");
}

#[tokio::test]
async fn a_bad_answer_of_a_hub_is_none_of_whoever_gives_a_good_one() {
    let (answered, mut run) = asked_twice(false).await;
    let hub = run.hub();
    let sent = hub.reply("remote[0]#2", "bad");
    let (sent, out) = tokio::join!(sent, run.answer(ctx(), "remote[0]", "good"));
    sent.unwrap();
    out.unwrap();
    assert_eq!(*answered.lock().unwrap(), ["one"]);
    let (id, question) = suspended(run.run(ctx()).await);
    assert_eq!(question, "two");
    run.answer(ctx(), &id, "good").await.unwrap();
    assert_eq!(scalar(output(run.run(ctx()).await)).content, "done");
}

#[tokio::test]
async fn a_good_answer_of_a_hub_stays_where_another_one_does_not_fit() {
    let (answered, mut run) = asked_twice(false).await;
    let hub = run.hub();
    let sent = hub.reply("remote[0]#2", "good");
    let (sent, out) = tokio::join!(sent, run.answer(ctx(), "remote[0]", "bad"));
    sent.unwrap();
    assert!(matches!(out, Err(FlowError::ResumePayload { .. })));
    let (id, question) = suspended(run.run(ctx()).await);
    assert_eq!((&*id, question), ("remote[0]", json!("one")));
    assert_eq!(*answered.lock().unwrap(), ["two"]);
}

/// Asks for a number.
#[tool]
async fn ask(ctx: Context) -> Result<u32, ToolError> {
    match ctx.resumed::<u32>()? {
        Some(number) => Ok(number),
        None => Err(ToolError::suspend("How many?")),
    }
}

mod there {
    use super::{super::*, ask};

    /// You count.
    #[agent(model = "openai://m", output = Finding, tools = [ask])]
    pub(super) fn count(topic: &Topic) -> String {
        topic.name.clone()
    }
}

/// Counts elsewhere.
#[agent(runner = "loopback", output = Finding)]
fn count(topic: &Topic) -> String {
    topic.name.clone()
}

#[flow(named)]
fn counting(topic: Topic) -> Finding {
    flow! { count }
}

#[tokio::test]
async fn a_refused_answer_leaves_one_that_waits_under_the_same_id() {
    let script = ScriptedModel::new()
        .calls("count", [("ask", json!({})), ("ask", json!({}))])
        .reply("count", json!({ "text": "done" }));
    let context = Context::default().with_dep(script);
    let agents = AgentRegistry::new().with_agent::<there::count>();
    let runner = Arc::new(LoopbackRunner::new(agents).with_context(context));
    let name = "trains".to_owned();
    let mut run = counting::start(Topic { name }).unwrap().with_runner(runner);
    while run.suspensions().len() < 2 {
        run.run(ctx()).await.unwrap();
    }
    run.pause();
    run.answer(ctx(), "count", 11).await.unwrap();
    run.answer(ctx(), "count#2", "many").await.unwrap();
    run.unpause();
    // The second question is asked again, under the id that is free by now.
    run.next(ctx()).await.unwrap();
    assert_eq!(run.suspensions()[0].tool_id, "count");
    let kept = |run: &FlowRuntime<counting>| {
        let json = serde_json::to_value(run).unwrap();
        json["remotes"]["Topic"]["answers"].clone()
    };
    let before = kept(&run);
    assert_eq!(before[0]["payload"], 11);
    let refused = run.answer(ctx(), "count", "many").await;
    assert!(matches!(refused, Err(FlowError::ResumePayload { .. })));
    assert_eq!(kept(&run), before);
    run.answer(ctx(), "count", 22).await.unwrap();
    assert_eq!(output(run.run(ctx()).await).text, "done");
}
