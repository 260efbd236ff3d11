//! Questions that are asked elsewhere.

use super::*;
use crate::macros_support::suspended;

fn asking(topics: &[&str]) -> Invocation {
    let target = |topic: &&str| Target::named("survey", json!({ "name": topic }).to_string());
    Invocation::all(topics.iter().map(target))
}

fn start(topics: &[&str]) -> (AgentRegistry, FlowRuntime<AgentRegistry>) {
    let runner = elsewhere(&Recorder::new(script()));
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
