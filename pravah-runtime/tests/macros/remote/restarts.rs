//! Restores between any two steps, and steps whose outcome was lost.

use std::task::Poll;

use super::*;

/// Makes all steps, each from a snapshot of the one before; every step in `lost` is made twice, since the process died
/// before it could store it. The steps as they are shown.
async fn through_restarts(
    registry: &AgentRegistry,
    invocation: Invocation,
    is_lost: impl Fn(usize) -> bool,
) -> (InvocationResult, Vec<String>) {
    let run = registry.invoke(invocation).unwrap();
    let mut run = run.with_run_id("run");
    let mut steps = Vec::new();
    for number in 0.. {
        assert!(number < 100, "{steps:?}");
        if is_lost(number) {
            let mut lost = restored(registry, &run);
            lost.next(ctx()).await.unwrap();
        }
        run = restored(registry, &run);
        let out = run.next(ctx()).await.unwrap();
        steps.push(run.last_step().unwrap().to_string());
        if let RunOut::Done(result) = out {
            return (result, steps);
        }
    }
    panic!("it goes on for ever")
}

#[tokio::test]
async fn no_model_is_asked_twice_whichever_steps_are_lost() {
    let mut counts = Vec::new();
    for lost in 0..16 {
        let model = Recorder::new(script());
        let runner = other_process(&model);
        let registry = here(&runner);
        let (result, steps) =
            through_restarts(&registry, look_up_trains(), |number| number == lost).await;
        assert_eq!(scalar(result).content, trains(), "{steps:?}");
        assert_eq!(model.asked().len(), 2, "{lost}: {steps:?}");
        assert_eq!(runner.tasks().len(), 1);
        counts.push(steps.len());
    }
    assert!(
        counts.iter().max() < Some(&16),
        "every step was lost once: {counts:?}"
    );
}

#[tokio::test]
async fn a_run_completes_when_every_step_is_repeated() {
    let model = Recorder::new(script());
    let runner = other_process(&model);
    let targets = ["a", "b", "c"].map(|topic| Target::named("researcher", topic));
    let (result, _) = through_restarts(&here(&runner), Invocation::all(targets), |_| true).await;
    assert_eq!(result.results().len(), 3);
    for result in result.results() {
        assert_eq!(result.content, trains());
    }
    assert_eq!(model.asked().len(), 6);
}

#[tokio::test]
async fn the_changes_of_each_step_make_the_snapshot() {
    let runner = other_process(&Recorder::new(script()));
    let mut run = here(&runner).invoke(look_up_trains()).unwrap();
    let mut stored = pravah_runtime::Entries::default();
    loop {
        stored.apply(run.take_changes().unwrap());
        let snapshot = FlowSnapshot::from_entries(&stored).unwrap();
        let whole = serde_json::to_string(&run.snapshot()).unwrap();
        assert_eq!(serde_json::to_string(&snapshot).unwrap(), whole);
        if let RunOut::Done(_) = run.next(ctx()).await.unwrap() {
            break;
        }
    }
}

#[tokio::test]
async fn a_step_that_is_dropped_is_made_again() {
    let model = Recorder::new(script());
    let runner = other_process(&model);
    let mut run = here(&runner).invoke(look_up_trains()).unwrap();
    let result = loop {
        // Polled once, and dropped unless that was enough.
        let polled = futures_util::poll!(Box::pin(run.next(ctx())));
        let out = match polled {
            Poll::Ready(out) => out,
            Poll::Pending => run.next(ctx()).await,
        };
        if let RunOut::Done(result) = out.unwrap() {
            break result;
        }
    };
    assert_eq!(scalar(result).content, trains());
    assert_eq!(model.asked().len(), 2);
}
