//! Runs that are restored while a remote agent is at work: nothing is done twice.

use pravah_runtime::{invocation::AgentRegistry, prelude::*};
use serde_json::{Value, json};

use crate::{
    client::runner,
    support::{Restarts, Served, restart_at_every_step, serve},
};

/// A registry as another process would make it: with a runner that knows of no task.
fn registry(served: &Served, binding: &str, agent: &str) -> AgentRegistry {
    AgentRegistry::new()
        .with_runner(runner(served, binding))
        .with_remote_agent(agent, "a2a")
}

async fn outcome(served: &Served, agent: &str, input: Value, restarts: Restarts) -> Vec<Value> {
    let mut outcomes = Vec::new();
    for binding in ["agents", "rest"] {
        let registry = || registry(served, binding, agent);
        outcomes.push(restart_at_every_step(registry, agent, input.clone(), restarts).await);
    }
    outcomes
}

async fn check_that_nothing_starts_twice(restarts: Restarts) {
    let served = serve().await;
    let input = json!({ "name": "Ada" });
    let outcomes = outcome(&served, "greet", input, restarts).await;
    assert_eq!(
        outcomes,
        [
            json!({ "text": "Hello, Ada" }),
            json!({ "text": "Hello, Ada" })
        ]
    );
    assert_eq!(served.counter.get(), 2);
}

#[tokio::test]
async fn a_run_that_is_restored_after_every_step_starts_nothing_twice() {
    check_that_nothing_starts_twice(Restarts::AfterEachStep).await;
}

#[tokio::test]
async fn a_run_that_loses_every_step_once_starts_nothing_twice() {
    check_that_nothing_starts_twice(Restarts::LosingEachStepOnce).await;
}

#[tokio::test]
async fn an_answer_that_is_delivered_twice_is_taken_once() {
    let served = serve().await;
    let input = json!({ "topic": "trains" });
    for restarts in [Restarts::AfterEachStep, Restarts::LosingEachStepOnce] {
        let outcomes = outcome(&served, "publish", input.clone(), restarts).await;
        assert_eq!(
            outcomes,
            [json!({ "published": true }), json!({ "published": true })]
        );
    }
    assert_eq!(served.counter.get(), 4);
}

#[tokio::test]
async fn a_snapshot_taken_while_the_agent_works_goes_on_with_its_task() {
    let served = serve().await;
    let registry = || registry(&served, "agents", "slow");
    let input = json!({ "name": "Ada", "seconds": 1 });
    let mut run = crate::support::invoke(&registry(), "slow", input);
    while served.counter.get() == 0 {
        let step = run.next(Context::default());
        drop(tokio::time::timeout(std::time::Duration::from_millis(100), step).await);
    }
    let snapshot = serde_json::to_string(&run).unwrap();
    drop(run);
    let mut run = registry()
        .restore(serde_json::from_str(&snapshot).unwrap())
        .unwrap();
    let outcome = crate::support::content(run.run(Context::default()).await.unwrap());
    assert_eq!(outcome, json!({ "name": "Ada", "seconds": 1 }));
    assert_eq!(served.counter.get(), 1);
}
