//! Three servers, of which one is away.

use pravah_restate::{RestateError, RestateFlows, RestateRuns};
use pravah_runtime::prelude::*;

use crate::{
    child::EffectLog,
    killed::{Countdown, STEPS, answer, effects, has_ended},
    server::{Server, eventually},
};

const RUNS: usize = 10;

#[tokio::test]
async fn runs_end_while_any_one_of_three_servers_is_away() {
    let mut servers = Server::start_three().await;
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("effects");
    let context = Context::default().with_dep(EffectLog(log.clone()));
    let flows = RestateFlows::new().serve::<Countdown>();
    let _serving = servers[0].serve(flows.with_context(context)).await;
    for away in 0..3 {
        let there = (away + 1) % 3;
        let runs = servers[there].runs();
        let mut answers = Vec::new();
        for run in 0..RUNS {
            let id = start(&runs, format!("{away}-{run}")).await;
            answers.push(tokio::spawn(answer(runs.clone(), id)));
        }
        servers[away].kill();
        for answer in answers {
            answer.await.unwrap();
        }
        for run in 0..RUNS {
            has_ended(&runs, &format!("{away}-{run}")).await;
        }
        servers[away].restart().await;
    }
    assert_eq!(effects(&log).len(), 3 * RUNS * STEPS as usize);
}

/// Starts a run once the server has heard of the flows from the one that they were registered with.
async fn start(runs: &RestateRuns, id: String) -> String {
    eventually(async || {
        let start = runs.start::<Countdown>(Countdown { left: STEPS - 1 });
        match start.with_id(&id).await {
            Err(RestateError::NotFound { .. }) => None,
            started => Some(started.unwrap()),
        }
    })
    .await
}
