//! What workers set for the runs that they load.

use std::time::Duration;

use pravah_runtime::prelude::*;
use pravah_store::{RunInfo, Runs, Status, Worker};

use crate::{
    flows::{Effects, Inside, Order, Served, Working, until, worker},
    support::TestStore,
};

crate::over_every_store! {
    bodies_run_at_the_same_time_and_each_is_a_commit_of_its_own,
    a_question_beside_a_body_that_runs_does_not_cost_it_its_work,
    a_set_up_knows_whose_run_it_is,
    a_run_that_cannot_be_set_up_is_tried_again_and_parked,
    a_run_at_its_limit_of_steps_has_failed_and_resumes_with_a_larger_one,
    the_id_of_a_run_is_that_of_the_store_whatever_is_set,
}

fn effects_of(effects: &Effects, worker: Worker) -> Working {
    Working::start(worker.with_context(effects.context()))
}

async fn steps(runs: &Runs, id: &str) -> Vec<String> {
    let history = runs.history(id).await.unwrap();
    let nodes = history.into_iter().map(|row| row.node);
    nodes
        .map(|node| node.map_or("-".to_owned(), |node| node.id))
        .collect()
}

// --- Branches.

#[state]
struct Shift {
    seconds: u64,
}
#[state]
struct Washed {
    seconds: u64,
}
#[state]
struct Dried {
    seconds: u64,
}
#[state]
#[derive(Debug, PartialEq)]
struct Closed {
    seconds: u64,
}

async fn work(effects: &Effects, ctx: &Context, seconds: u64) {
    effects.enter();
    let _inside = Inside(effects.clone());
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    effects.happen(ctx);
}

#[node]
async fn wash(shift: &Shift, effects: Dep<Effects>, ctx: Context) -> Washed {
    work(&effects, &ctx, shift.seconds).await;
    Washed {
        seconds: shift.seconds,
    }
}

#[node]
async fn dry(shift: &Shift, effects: Dep<Effects>, ctx: Context) -> Dried {
    work(&effects, &ctx, shift.seconds * 2).await;
    Dried {
        seconds: shift.seconds * 2,
    }
}

#[node]
fn close(washed: Washed, dried: Dried) -> Closed {
    Closed {
        seconds: washed.seconds + dried.seconds,
    }
}

#[flow]
fn evening(shift: Shift) -> Closed {
    flow! { fork(wash, dry) -> join(close) }
}

async fn bodies_run_at_the_same_time_and_each_is_a_commit_of_its_own(it: TestStore) {
    let it = it.with_tokio_time();
    let (runs, effects) = (Runs::new(it.store.clone()), Effects::default());
    let worker = Worker::new(it.reopen()).serve_with::<Shift>(|run, _| Ok(run.with_concurrency(4)));
    let _worker = effects_of(&effects, worker);
    let id = runs.start::<Shift>(Shift { seconds: 60 }).await.unwrap();
    let info = until(&runs, &id, Status::Done).await;
    assert_eq!((effects.most_at_once(), effects.keys().len()), (2, 2));
    assert_eq!(steps(&runs, &id).await, ["-", "wash", "dry", "close"]);
    let took = info.updated_at.duration_since(info.created_at).unwrap();
    assert!(took < Duration::from_secs(150), "{took:?}");
}

// --- A question beside a body.

#[state]
struct Allowed {
    yes: bool,
}

#[gate(prompt = "Go on?")]
fn allow(_shift: &Shift, yes: bool) -> Allowed {
    Allowed { yes }
}

#[node]
fn settle(allowed: Allowed, dried: Dried) -> Closed {
    Closed {
        seconds: dried.seconds * u64::from(allowed.yes),
    }
}

#[flow(named)]
fn asked(shift: Shift) -> Closed {
    flow! { fork(allow, dry) -> join(settle) }
}

async fn a_question_beside_a_body_that_runs_does_not_cost_it_its_work(it: TestStore) {
    let it = it.with_tokio_time();
    let (runs, effects) = (Runs::new(it.store.clone()), Effects::default());
    let worker = Worker::new(it.reopen()).serve_with::<asked>(|run, _| Ok(run.with_concurrency(2)));
    let _worker = effects_of(&effects, worker);
    let id = runs.start::<asked>(Shift { seconds: 60 }).await.unwrap();
    until(&runs, &id, Status::Suspended).await;
    assert_eq!(effects.keys().len(), 1);
    runs.answer(&id, "allow", true).await.unwrap();
    until(&runs, &id, Status::Done).await;
    assert_eq!(effects.keys().len(), 1);
    let output = runs.output::<asked>(&id).await.unwrap();
    assert_eq!(output, Some(Closed { seconds: 120 }));
}

// --- Who a run belongs to, and what fails.

/// A set-up that lets the runs of one tenant execute a step.
fn one_step_for_acme(
    run: FlowRuntime<Order>,
    info: &RunInfo,
) -> Result<FlowRuntime<Order>, FlowError> {
    Ok(match info.key.tenant() {
        Some("acme") => run.with_max_steps(1),
        _ => run,
    })
}

async fn a_set_up_knows_whose_run_it_is(it: TestStore) {
    let it = it.with_tokio_time();
    let worker = Worker::new(it.reopen()).serve_with::<Order>(one_step_for_acme);
    let _worker = effects_of(&Effects::default(), worker);
    let runs = Runs::new(it.store.clone());
    let acme = runs.of_tenant("acme").unwrap();
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    let limited = acme.start::<Order>(Order { cups: 2 }).await.unwrap();
    until(&runs, &id, Status::Done).await;
    let info = until(&acme, &limited, Status::Failed).await;
    assert_eq!(info.step, 1);
}

async fn a_run_that_cannot_be_set_up_is_tried_again_and_parked(it: TestStore) {
    let it = it.with_tokio_time();
    let worker = Worker::new(it.reopen())
        .serve_with::<Order>(|run, _| run.with_model("nobody", "openai://m"))
        .with_max_failed_claims(3);
    let _worker = effects_of(&Effects::default(), worker);
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    let info = until(&runs, &id, Status::Failed).await;
    let error = info.error.unwrap();
    assert!(
        error.contains("claimed 3 times") && error.contains("nobody"),
        "{error}"
    );
}

async fn a_run_at_its_limit_of_steps_has_failed_and_resumes_with_a_larger_one(it: TestStore) {
    let it = it.with_tokio_time();
    let limited = |limit| {
        let worker = Worker::new(it.reopen());
        worker.serve_with::<Order>(move |run, _| Ok(run.with_max_steps(limit)))
    };
    let working = effects_of(&Effects::default(), limited(1));
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    let info = until(&runs, &id, Status::Failed).await;
    let error = "the run took 1 steps, which is its limit";
    assert_eq!((info.step, info.error.as_deref()), (1, Some(error)));
    working.kill().await;
    let _worker = effects_of(&Effects::default(), limited(2));
    runs.retry(&id).await.unwrap();
    until(&runs, &id, Status::Done).await;
}

async fn the_id_of_a_run_is_that_of_the_store_whatever_is_set(it: TestStore) {
    let it = it.with_tokio_time();
    let (runs, effects) = (Runs::new(it.store.clone()), Effects::default());
    let worker = Worker::new(it.reopen());
    let worker = worker.serve_with::<Order>(|run, _| Ok(run.with_run_id("other")));
    let _worker = effects_of(&effects, worker);
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    until(&runs, &id, Status::Done).await;
    assert!(effects.keys().iter().all(|key| key.starts_with(&id)));
}

#[tokio::test(start_paused = true)]
async fn serving_a_flow_again_replaces_its_set_up() {
    let it = TestStore::memory().with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let again = worker(it.store.clone(), &Effects::default())
        .serve_with::<Order>(|run, _| Ok(run.with_max_steps(0)))
        .serve::<Order>();
    let _worker = Working::start(again);
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    until(&runs, &id, Status::Done).await;
    let output = runs.output::<Order>(&id).await.unwrap();
    assert_eq!(output, Some(Served { cups: 2 }));
}
