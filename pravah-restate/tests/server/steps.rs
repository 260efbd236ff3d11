//! Steps, questions, waits and the end of a run.

use std::sync::atomic::Ordering;

use pravah_restate::{RestateError, RestateFlows};
use pravah_runtime::{Entries, FlowRuntime, RunStatus};
use pravah_store::{Command, Status};

use crate::{
    flows::{
        Bridge, Crossed, Crossing, Draft, Effects, Invoice, Journey, Order, Published, Served,
        Settled, served, to_go,
    },
    server::{Server, eventually, until, until_info},
};

#[tokio::test]
async fn a_run_makes_its_steps_and_keeps_its_output() {
    let (server, effects) = (Server::start().await, Effects::default());
    let _serving = server.serve(served(&effects, &Bridge::default())).await;
    let runs = server.runs();
    let start = || {
        runs.start::<Order>(Order { cups: 2 })
            .with_id("order/7 ü")
            .with_tag("shop", "north")
    };
    let id = start().await.unwrap();
    assert_eq!(runs.result::<Order>(&id).await.unwrap(), Served { cups: 2 });
    let info = until(&runs, &id, Status::Done).await;
    assert_eq!((info.step, info.tags["shop"].as_str()), (2, "north"));
    assert_eq!(
        runs.output::<Order>(&id).await.unwrap(),
        Some(Served { cups: 2 })
    );
    // What was asked for is of another flow.
    for asked in [
        runs.output::<Draft>(&id).await.map(drop),
        runs.result::<Draft>(&id).await.map(drop),
    ] {
        assert!(
            matches!(asked, Err(RestateError::OtherFlow { .. })),
            "{asked:?}"
        );
    }
    // It was started once, and its steps were made once.
    assert_eq!(start().await.unwrap(), id);
    assert_eq!(effects.keys().len(), 2);
    let other = runs.start::<to_go>(Order { cups: 2 }).with_id(&*id).await;
    assert!(
        matches!(other, Err(RestateError::Conflict { .. })),
        "{other:?}"
    );
    runs.delete(&id).await.unwrap();
    let gone = runs.status(&id).await;
    assert!(
        matches!(gone, Err(RestateError::NotFound { .. })),
        "{gone:?}"
    );
}

#[tokio::test]
async fn the_state_of_a_run_is_its_entries_and_nothing_that_is_gone() {
    let (server, effects) = (Server::start().await, Effects::default());
    let _serving = server.serve(served(&effects, &Bridge::default())).await;
    let runs = server.runs();
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    runs.result::<Order>(&id).await.unwrap();
    let state = server.state(&id).await;
    let stored = state.keys().filter_map(|key| key.strip_prefix("entry"));

    let mut run = FlowRuntime::<Order>::start(Order { cups: 2 }).unwrap();
    let (mut entries, mut deleted) = (Entries::default(), 0);
    while run.status() != RunStatus::Done {
        run.next(effects.context()).await.unwrap();
        let changes = run.take_changes().unwrap();
        deleted += changes.deleted().count();
        entries.apply(changes);
    }
    let kept: Vec<_> = entries.iter().map(|(key, _)| key).collect();
    assert_eq!(stored.collect::<Vec<_>>(), kept);
    assert!(deleted > 0);
}

#[tokio::test]
async fn commands_that_were_taken_are_gone() {
    let (server, effects) = (Server::start().await, Effects::default());
    let _serving = server.serve(served(&effects, &Bridge::default())).await;
    let runs = server.runs();
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    until(&runs, &id, Status::Suspended).await;
    runs.answer(&id, "approve", false).await.unwrap();
    until_info(&runs, &id, |info| {
        info.questions.iter().any(|it| it.number == 1)
    })
    .await;
    let state = server.state(&id).await;
    assert_eq!(state["entry/states/Draft"], r#"{"version":2}"#);
    let commands = state.keys().filter(|key| key.starts_with("inbox"));
    assert_eq!(commands.count(), 0, "{state:?}");
}

#[tokio::test]
async fn an_answer_is_taken_once_and_a_second_one_is_refused() {
    let (server, effects) = (Server::start().await, Effects::default());
    let _serving = server.serve(served(&effects, &Bridge::default())).await;
    let runs = server.runs();
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    let asked = until(&runs, &id, Status::Suspended).await;
    assert_eq!(asked.questions[0].value["prompt"], "Publish this?");
    // It does not fit, and the question stays open.
    runs.answer(&id, "approve", "perhaps").await.unwrap();
    let refused = eventually(async || {
        let refused = runs.refused(&id).await.unwrap();
        (!refused.is_empty()).then_some(refused)
    })
    .await;
    assert_eq!(refused[0].number, 1);
    let (first, second) = tokio::join!(
        runs.answer(&id, "approve", true),
        runs.answer(&id, "approve", true),
    );
    assert_ne!(first.is_ok(), second.is_ok(), "{first:?} {second:?}");
    let refused = first.and(second).unwrap_err();
    assert!(
        matches!(refused, RestateError::Conflict { .. }),
        "{refused}"
    );
    let published = runs.result::<Draft>(&id).await.unwrap();
    assert_eq!(published, Published { version: 1 });
    let late = runs.answer(&id, "approve", true).await.unwrap_err();
    assert!(late.to_string().contains("done"), "{late}");
}

#[tokio::test]
async fn an_answer_may_come_before_its_question() {
    let (server, effects) = (Server::start().await, Effects::default());
    let _serving = server.serve(served(&effects, &Bridge::default())).await;
    let runs = server.runs().of_tenant("acme").unwrap();
    let id = runs
        .start::<Draft>(Draft { version: 1 })
        .with_id("7")
        .await
        .unwrap();
    let early = |answer: bool| Command::Answer {
        id: "approve".into(),
        number: None,
        answer: answer.into(),
    };
    runs.send(&id, early(false)).await.unwrap();
    runs.send(&id, early(true)).await.unwrap();
    assert_eq!(
        runs.result::<Draft>(&id).await.unwrap(),
        Published { version: 2 }
    );
    // It is another run for those without a tenant.
    let other = server.runs().status(&id).await;
    assert!(
        matches!(other, Err(RestateError::NotFound { .. })),
        "{other:?}"
    );
}

#[tokio::test]
async fn a_failed_run_has_waited_between_its_attempts_and_goes_on_after_a_retry() {
    let (server, effects, bridge) = (Server::start().await, Effects::default(), Bridge::default());
    let _serving = server.serve(served(&effects, &bridge)).await;
    let runs = server.runs();
    let id = runs.start::<Crossing>(Crossing { at: 3 }).await.unwrap();
    let waiting = until_info(&runs, &id, |info| info.wake_at.is_some()).await;
    assert_eq!(waiting.status, Status::Waiting);
    // It makes a step of no consequence, and with it the wake-up that was sent is one that does nothing.
    runs.emit(&id, "weather", "fine").await.unwrap();
    let failed = until(&runs, &id, Status::Failed).await;
    assert!(failed.updated_at >= waiting.wake_at.unwrap());
    assert!(failed.error.unwrap().contains("there is no bridge"));
    server.is_idle(&id).await;
    assert_eq!(effects.keys().len(), 2);
    // A command other than a cancel is no reason to try again.
    runs.emit(&id, "weather", "fine").await.unwrap();
    bridge.0.store(true, Ordering::Relaxed);
    runs.retry(&id).await.unwrap();
    assert_eq!(
        runs.result::<Crossing>(&id).await.unwrap(),
        Crossed { at: 3 }
    );
    assert_eq!(effects.keys().len(), 3);
    let again = runs.retry(&id).await;
    assert!(
        matches!(again, Err(RestateError::Conflict { .. })),
        "{again:?}"
    );
}

#[tokio::test]
async fn an_event_that_comes_in_time_ends_the_wait_and_otherwise_its_limit_does() {
    let (server, effects) = (Server::start().await, Effects::default());
    let _serving = server.serve(served(&effects, &Bridge::default())).await;
    let runs = server.runs();
    let paid = runs.start::<Invoice>(Invoice { number: 1 }).await.unwrap();
    runs.emit(&paid, "paid:1", 250).await.unwrap();
    let unpaid = runs.start::<Invoice>(Invoice { number: 2 }).await.unwrap();
    assert_eq!(
        runs.result::<Invoice>(&paid).await.unwrap(),
        Settled { cents: 250 }
    );
    assert_eq!(
        runs.result::<Invoice>(&unpaid).await.unwrap(),
        Settled { cents: 0 }
    );
}

#[tokio::test]
async fn a_cancel_breaks_off_a_step_that_takes_an_hour() {
    let (server, effects) = (Server::start().await, Effects::default());
    let _serving = server.serve(served(&effects, &Bridge::default())).await;
    let runs = server.runs();
    let id = runs
        .start::<Journey>(Journey { seconds: 3_600 })
        .await
        .unwrap();
    eventually(async || (!effects.keys().is_empty()).then_some(())).await;
    runs.cancel(&id, "there is rain").await.unwrap();
    let info = until(&runs, &id, Status::Cancelled).await;
    assert_eq!(info.error.as_deref(), Some("there is rain"));
    let result = runs.result::<Journey>(&id).await.unwrap_err();
    assert!(result.to_string().contains("there is rain"), "{result}");
    // What was sent in case that no step was being made finds that the run has ended.
    server.is_idle(&id).await;
    assert_eq!(runs.status(&id).await.unwrap().status, Status::Cancelled);
    assert_eq!(effects.keys().len(), 1);
}

#[tokio::test]
async fn a_run_that_waits_for_an_answer_can_be_paused_and_cancelled() {
    let (server, effects) = (Server::start().await, Effects::default());
    let _serving = server.serve(served(&effects, &Bridge::default())).await;
    let runs = server.runs();
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    until(&runs, &id, Status::Suspended).await;
    // No agent is there to read it.
    runs.message(&id, "approve", "hurry").await.unwrap();
    eventually(async || {
        let refused = runs.refused(&id).await.unwrap();
        refused.first().map(|refusal| assert_eq!(refusal.number, 1))
    })
    .await;
    runs.send(&id, Command::Pause).await.unwrap();
    until(&runs, &id, Status::Paused).await;
    runs.send(&id, Command::Unpause).await.unwrap();
    until(&runs, &id, Status::Suspended).await;
    runs.cancel(&id, "not needed").await.unwrap();
    until(&runs, &id, Status::Cancelled).await;
    let late = runs.cancel(&id, "again").await;
    assert!(
        matches!(late, Err(RestateError::Conflict { .. })),
        "{late:?}"
    );
}

#[tokio::test]
async fn programs_with_names_of_their_own_serve_different_flows_to_one_server() {
    let (server, effects) = (Server::start().await, Effects::default());
    let flows = |name| {
        let flows = RestateFlows::new().with_name(name);
        flows.with_context(effects.context())
    };
    let _drafts = server.serve(flows("Drafts").serve::<Draft>()).await;
    let _orders = server.serve(flows("Shop.orders").serve::<Order>()).await;
    let orders = server.runs().with_name("Shop.orders");
    let id = orders.start::<Order>(Order { cups: 2 }).await.unwrap();
    assert_eq!(
        orders.result::<Order>(&id).await.unwrap(),
        Served { cups: 2 }
    );
    let drafts = server.runs().with_name("Drafts");
    let other = drafts.start::<Order>(Order { cups: 2 }).await;
    assert!(
        matches!(other, Err(RestateError::NotFound { .. })),
        "{other:?}"
    );
    let id = drafts.start::<Draft>(Draft { version: 1 }).await.unwrap();
    until(&drafts, &id, Status::Suspended).await;
}
