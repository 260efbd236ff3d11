//! Runs that workers execute.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use pravah_store::{Claim, ClaimRequest, Runs, Status, StoreError};
use tokio::{
    sync::Notify,
    time::{Instant, sleep},
};

use crate::{
    faults::Faulty,
    flows::{
        Arrived, Bill, Bridge, Crossed, Crossing, Effects, Journey, Order, Served, Working, to_go,
        until, worker,
    },
    support::{TestStore, changes, key},
};

crate::over_every_store! {
    a_run_is_driven_to_its_output,
    a_flow_with_a_name_is_served_beside_another_of_its_input,
    each_step_is_a_commit_of_its_own,
    workers_share_runs_and_no_step_is_made_twice,
    a_worker_has_no_more_runs_than_slots,
    a_lease_is_renewed_while_a_step_runs,
    a_worker_that_lost_its_lease_commits_nothing,
    a_run_survives_the_end_of_its_process_at_every_commit,
    a_worker_that_is_told_to_end_gives_its_runs_back_at_once,
    a_run_that_cannot_be_read_is_parked_and_can_be_cancelled,
    a_step_whose_state_cannot_be_stored_is_not_committed_and_parks_the_run,
    attempts_wait_without_a_worker_and_a_failed_run_waits_for_a_retry,
    a_run_of_another_flow_is_left_alone,
    a_fork_makes_the_steps_after_it_with_keys_of_its_own,
    runs_of_two_tenants_have_different_step_keys,
    an_output_of_another_flow_is_refused_with_both_flows,
    a_store_that_fails_costs_time_and_no_run,
    a_shutdown_that_a_claim_waits_for_continues,
}

async fn a_run_is_driven_to_its_output(it: TestStore) {
    let it = it.with_tokio_time();
    let _worker = Working::start(worker(it.reopen(), &Effects::default()));
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    until(&runs, &id, Status::Done).await;
    let output = runs.output::<Order>(&id).await.unwrap();
    assert_eq!(output, Some(Served { cups: 2 }));
}

async fn a_flow_with_a_name_is_served_beside_another_of_its_input(it: TestStore) {
    let it = it.with_tokio_time();
    let _worker = Working::start(worker(it.store.clone(), &Effects::default()));
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<to_go>(Order { cups: 2 }).await.unwrap();
    assert_eq!(until(&runs, &id, Status::Done).await.flow, "to_go");
    let output = runs.output::<to_go>(&id).await.unwrap();
    assert_eq!(output, Some(Served { cups: 2 }));
    assert!(runs.output::<Order>(&id).await.is_err());
}

async fn each_step_is_a_commit_of_its_own(it: TestStore) {
    let it = it.with_tokio_time();
    let _worker = Working::start(worker(it.store.clone(), &Effects::default()));
    let runs = Runs::new(it.store.clone());
    let start = runs.start::<Order>(Order { cups: 2 }).with_id("order-7");
    assert_eq!(start.await.unwrap(), "order-7");
    let info = until(&runs, "order-7", Status::Done).await;
    let history = runs.history("order-7").await.unwrap();
    let nodes: Vec<_> = history
        .iter()
        .map(|row| row.node.as_ref().map(|node| &*node.id))
        .collect();
    assert_eq!(nodes, [None, Some("brew"), Some("serve")]);
    assert_eq!((info.step, info.failed_claims), (2, 0));
    let brewed = runs.entries_at("order-7", 1).await.unwrap();
    assert_eq!(brewed.get("/states/Brewed"), Some(r#"{"cups":2}"#));
}

async fn workers_share_runs_and_no_step_is_made_twice(it: TestStore) {
    let it = it.with_tokio_time();
    let (effects, runs) = (Effects::default(), Runs::new(it.store.clone()));
    for number in 0..30 {
        let start = runs.start::<Order>(Order { cups: number });
        start.with_id(format!("run-{number}")).await.unwrap();
    }
    // Some hear of each other, and some share the store alone.
    let stores = [it.store.clone(), it.store.clone(), it.reopen(), it.reopen()];
    let _workers = stores.map(|store| Working::start(worker(store, &effects).with_slots(3)));
    for number in 0..30 {
        until(&runs, &format!("run-{number}"), Status::Done).await;
    }
    let mut keys = effects.keys();
    assert_eq!(keys.len(), 60);
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 60);
}

async fn a_worker_has_no_more_runs_than_slots(it: TestStore) {
    let it = it.with_tokio_time();
    let (effects, runs) = (Effects::default(), Runs::new(it.store.clone()));
    let _worker = Working::start(worker(it.store.clone(), &effects).with_slots(2));
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(runs.start::<Journey>(Journey { seconds: 9 }).await.unwrap());
    }
    for id in &ids {
        until(&runs, id, Status::Done).await;
    }
    assert_eq!(effects.most_at_once(), 2);
}

async fn a_lease_is_renewed_while_a_step_runs(it: TestStore) {
    let it = it.with_tokio_time();
    let (effects, runs) = (Effects::default(), Runs::new(it.store.clone()));
    let id = runs
        .start::<Journey>(Journey { seconds: 600 })
        .await
        .unwrap();
    let _workers = [it.store.clone(), it.reopen()].map(|store| {
        let worker = worker(store, &effects).with_lease(Duration::from_secs(10));
        Working::start(worker)
    });
    until(&runs, &id, Status::Done).await;
    assert_eq!(effects.keys().len(), 1);
}

async fn a_worker_that_lost_its_lease_commits_nothing(it: TestStore) {
    let it = it.with_tokio_time();
    let (late, other) = (Effects::default(), Effects::default());
    let runs = Runs::new(it.store.clone());
    let id = runs
        .start::<Journey>(Journey { seconds: 60 })
        .await
        .unwrap();
    let cut_off = Faulty::new(it.store.clone());
    cut_off.renews.store(false, Ordering::Relaxed);
    let _late = Working::start(worker(std::sync::Arc::new(cut_off), &late));
    sleep(Duration::from_secs(20)).await;
    let _other = Working::start(worker(it.reopen(), &other));
    until(&runs, &id, Status::Done).await;
    sleep(Duration::from_secs(600)).await;
    assert_eq!(other.keys().len(), 1);
    let history = runs.history(&id).await.unwrap();
    assert_eq!(history.len(), 2);
    // The late one was at the end of its step when the other had the run.
    let output = runs.output::<Journey>(&id).await.unwrap();
    assert_eq!(output, Some(Arrived { seconds: 60 }));
}

async fn a_run_survives_the_end_of_its_process_at_every_commit(it: TestStore) {
    let it = it.with_tokio_time();
    for answers_last in [true, false] {
        let (effects, runs) = (Effects::default(), Runs::new(it.store.clone()));
        let id = format!("run-{answers_last}");
        let start = runs.start::<Order>(Order { cups: 2 });
        start.with_id(&*id).await.unwrap();
        let mut processes = 0;
        while runs.status(&id).await.unwrap().status != Status::Done {
            let mut store = Faulty::new(it.reopen()).with_commits(1);
            store.answers_last = answers_last;
            let worker = Working::start(worker(std::sync::Arc::new(store.clone()), &effects));
            while store.commits_left() > 0 {
                sleep(Duration::from_millis(100)).await;
            }
            // It may have started the next step.
            sleep(Duration::from_millis(100)).await;
            worker.kill().await;
            processes += 1;
        }
        assert_eq!(processes, 2);
        let output = runs.output::<Order>(&id).await.unwrap();
        assert_eq!(output, Some(Served { cups: 2 }));
        let history = runs.history(&id).await.unwrap();
        assert_eq!(history.len(), 3);
        // Effects may happen again, and then under the same key.
        let mut keys = effects.keys();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), 2);
    }
}

async fn a_worker_that_is_told_to_end_gives_its_runs_back_at_once(it: TestStore) {
    let it = it.with_tokio_time();
    let (effects, runs) = (Effects::default(), Runs::new(it.store.clone()));
    let id = runs
        .start::<Journey>(Journey { seconds: 600 })
        .await
        .unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let worker = worker(it.store.clone(), &effects);
    let worker = tokio::spawn(worker.run(async { drop(stopped.await) }));
    sleep(Duration::from_secs(60)).await;
    let flow = runs.status(&id).await.unwrap().flow;
    let request = ClaimRequest::new("other", [flow]);
    assert!(it.store.claim(request.clone()).await.unwrap().is_empty());
    let told = Instant::now();
    drop(stop);
    worker.await.unwrap();
    let claims: Vec<Claim> = it.store.claim(request).await.unwrap();
    assert!(told.elapsed() < Duration::from_secs(1));
    // It was no failure of the run.
    assert_eq!(claims[0].info.failed_claims, 1);
    assert!(effects.keys().is_empty());
    assert_eq!(claims[0].info.step, 0);
}

async fn a_run_that_cannot_be_read_is_parked_and_can_be_cancelled(it: TestStore) {
    let it = it.with_tokio_time();
    let (effects, runs) = (Effects::default(), Runs::new(it.store.clone()));
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    let flow = runs.status(&id).await.unwrap().flow;
    let broken = changes(&[], &[("/states/Order", "[]"), ("", r#"{"version":0}"#)]);
    let broken = pravah_store::NewRun::new(key("broken"), flow, broken);
    it.store.start(broken).await.unwrap();
    let worker = worker(it.store.clone(), &effects).with_max_failed_claims(3);
    let _worker = Working::start(worker);
    let info = until(&runs, "broken", Status::Failed).await;
    let error = info.error.unwrap();
    assert!(error.contains("claimed 3 times in a row"), "{error}");
    assert_eq!(info.step, 0);
    // It has kept nobody from working.
    until(&runs, &id, Status::Done).await;

    runs.retry("broken").await.unwrap();
    assert_eq!(runs.status("broken").await.unwrap().status, Status::Ready);
    until(&runs, "broken", Status::Failed).await;
    runs.cancel("broken", "hopeless").await.unwrap();
    let info = until(&runs, "broken", Status::Cancelled).await;
    assert_eq!(info.error.as_deref(), Some("hopeless"));
    let refused = runs.cancel("broken", "again").await;
    assert!(matches!(refused, Err(StoreError::WrongStatus { .. })));
}

async fn a_step_whose_state_cannot_be_stored_is_not_committed_and_parks_the_run(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let worker = worker(it.store.clone(), &Effects::default()).with_max_failed_claims(2);
    let _worker = Working::start(worker);
    let id = runs.start::<Bill>(Bill { guests: 0 }).await.unwrap();
    let info = until(&runs, &id, Status::Failed).await;
    let error = info.error.unwrap();
    let why = "flows::Share` contains `inf`, which no number in JSON can be";
    assert!(error.contains(why), "{error}");
    assert_eq!(info.step, 0);
    let stored = runs.entries_at(&id, 0).await.unwrap();
    assert_eq!(stored.get("/states/Bill"), Some(r#"{"guests":0}"#));
}

async fn attempts_wait_without_a_worker_and_a_failed_run_waits_for_a_retry(it: TestStore) {
    let it = it.with_tokio_time();
    let (effects, bridge) = (Effects::default(), Bridge::default());
    let runs = Runs::new(it.store.clone());
    let ctx = effects.context().with_dep(bridge.clone());
    let worker = worker(it.store.clone(), &effects).with_context(ctx);
    let _worker = Working::start(worker.with_slots(1));
    let id = runs.start::<Crossing>(Crossing { at: 3 }).await.unwrap();
    let started = Instant::now();
    let info = until(&runs, &id, Status::Waiting).await;
    assert!(info.wake_at.is_some());
    // The only slot is free meanwhile.
    let order = runs.start::<Order>(Order { cups: 1 }).await.unwrap();
    until(&runs, &order, Status::Done).await;
    let info = until(&runs, &id, Status::Failed).await;
    assert!(started.elapsed() >= Duration::from_secs(20));
    let error = info.error.unwrap();
    assert!(error.contains("there is no bridge"), "{error}");
    sleep(Duration::from_secs(3600)).await;
    assert_eq!(runs.status(&id).await.unwrap().status, Status::Failed);

    bridge.0.store(true, Ordering::Relaxed);
    runs.retry(&id).await.unwrap();
    until(&runs, &id, Status::Done).await;
    let output = runs.output::<Crossing>(&id).await.unwrap();
    assert_eq!(output, Some(Crossed { at: 3 }));
}

async fn a_run_of_another_flow_is_left_alone(it: TestStore) {
    let it = it.with_tokio_time();
    it.start("a").await;
    let _worker = Working::start(worker(it.store.clone(), &Effects::default()));
    sleep(Duration::from_secs(60)).await;
    let info = it.store.get(&key("a")).await.unwrap();
    assert_eq!((info.status, info.failed_claims), (Status::Ready, 0));
}

async fn a_fork_makes_the_steps_after_it_with_keys_of_its_own(it: TestStore) {
    let it = it.with_tokio_time();
    let (effects, runs) = (Effects::default(), Runs::new(it.store.clone()));
    let _worker = Working::start(worker(it.store.clone(), &effects));
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    until(&runs, &id, Status::Done).await;
    for (step, steps_again) in [(1, 1), (0, 2), (2, 0)] {
        let before = effects.keys();
        let fork = runs.fork(&id, step).await.unwrap();
        until(&runs, &fork, Status::Done).await;
        let output = runs.output::<Order>(&fork).await.unwrap();
        assert_eq!(output, Some(Served { cups: 2 }));
        let keys = effects.keys();
        let new = &keys[before.len()..];
        assert_eq!(new.len(), steps_again);
        assert!(new.iter().all(|key| !before.contains(key)));
    }
    assert_eq!(runs.status(&id).await.unwrap().step, 2);
}

async fn runs_of_two_tenants_have_different_step_keys(it: TestStore) {
    let it = it.with_tokio_time();
    let (effects, runs) = (Effects::default(), Runs::new(it.store.clone()));
    let _worker = Working::start(worker(it.store.clone(), &effects));
    let tenants = ["acme", "bolt"].map(|tenant| runs.of_tenant(tenant).unwrap());
    for handle in tenants.iter().chain([&runs]) {
        let start = handle.start::<Order>(Order { cups: 2 });
        start.with_id("order-7").await.unwrap();
    }
    for handle in tenants.iter().chain([&runs]) {
        until(handle, "order-7", Status::Done).await;
    }
    let mut keys = effects.keys();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 6);
}

async fn an_output_of_another_flow_is_refused_with_both_flows(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    assert_eq!(runs.output::<Order>(&id).await.unwrap(), None);
    let error = runs.output::<Journey>(&id).await.unwrap_err();
    assert!(matches!(error, StoreError::OtherFlow { .. }), "{error}");
    let expected = format!("the run `{id}` is of the flow `Order`, not of `Journey`");
    assert_eq!(error.to_string(), expected);
    let taken = runs.start::<Journey>(Journey { seconds: 1 }).with_id(&*id);
    assert!(matches!(taken.await, Err(StoreError::AlreadyExists { .. })));
}

async fn a_store_that_fails_costs_time_and_no_run(it: TestStore) {
    let it = it.with_tokio_time();
    let (effects, runs) = (Effects::default(), Runs::new(it.store.clone()));
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    let store = Faulty::new(it.reopen()).with_failures(3);
    let _worker = Working::start(worker(std::sync::Arc::new(store), &effects));
    sleep(Duration::from_millis(500)).await;
    let info = runs.status(&id).await.unwrap();
    let error = info.error.unwrap();
    assert!(error.contains("the disk is full"), "{error}");
    let info = until(&runs, &id, Status::Done).await;
    assert_eq!((info.step, info.error), (2, None));
    let mut keys = effects.keys();
    assert_eq!(keys.len(), 5);
    keys.dedup();
    assert_eq!(keys.len(), 2);
}

async fn a_shutdown_that_a_claim_waits_for_continues(it: TestStore) {
    let it = it.with_tokio_time();
    let may_claim = Arc::new(Notify::new());
    let mut store = Faulty::new(it.store.clone());
    store.may_claim = Some(may_claim.clone());
    let worker = worker(Arc::new(store), &Effects::default());
    let shutdown = async move { may_claim.notify_one() };
    let ended = tokio::time::timeout(Duration::from_secs(60), worker.run(shutdown)).await;
    assert!(ended.is_ok(), "the claim never ends");
}
