//! What a run is shown as, to whoever comes late.

use std::{
    net::SocketAddr,
    pin::pin,
    sync::{Arc, Mutex},
};

use futures_util::FutureExt as _;
use pravah_runtime::{BoxError, Channel, Channels, FlowEvent, prelude::*};
use serde_json::json;
use tokio::task::unconstrained;

use super::{Draft, Page, get, run_called, served, server, shown_as, within};

#[tokio::test]
async fn what_nodes_did_is_not_shown_any_more_once_events_are_lost() {
    let server = server();
    let address = served(&server).await;
    let mut run = run_called("r");
    let hub = run.hub();
    let mut attached = pin!(hub.attach(server.channel()));
    assert!(attached.as_mut().now_or_never().is_none());
    run.run(Context::default()).await.unwrap();
    assert!(attached.as_mut().now_or_never().is_none());
    let shown = get(address, "/runs/r").await.json();
    assert_eq!(shown["nodes"], json!({ "approve": "asking" }));
    hub.reply("approve", 1);
    run.next(Context::default()).await.unwrap();
    // More events than the channel can wait with.
    for _ in 0..600 {
        run.pause();
        run.unpause();
    }
    assert!(unconstrained(attached.as_mut()).now_or_never().is_none());
    let shown = get(address, "/runs/r").await.json();
    assert_eq!(shown["nodes"], json!({}));
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 2 }));
    within(attached).await.unwrap();
}

/// Asks for the events of a run that has ended, and notes the answer.
struct Late(SocketAddr, Arc<Mutex<Option<(u16, String)>>>);

impl Channel for Late {
    fn name(&self) -> &str {
        "late"
    }

    async fn on_event(&mut self, _: FlowEvent) -> Result<(), BoxError> {
        Ok(())
    }

    async fn on_complete(&mut self) -> Result<(), BoxError> {
        let answer = get(self.0, "/runs/r/events").await;
        *self.1.lock().unwrap() = Some((answer.status, answer.body));
        Ok(())
    }
}

#[tokio::test]
async fn whoever_asks_for_the_events_of_a_run_that_has_ended_gets_none_and_does_not_wait() {
    let server = server();
    let address = served(&server).await;
    let answered = Arc::default();
    // The last one is completed first, and the run is still shown then.
    let channels = Channels::new()
        .with_required(server.channel())
        .with(Late(address, Arc::clone(&answered)));
    let mut run = run_called("r");
    let hub = run.hub();
    run.run(Context::default()).await.unwrap();
    hub.reply("approve", 1);
    drop(hub);
    let out = within(run.serve_with(Context::default(), channels)).await;
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 2 }));
    let (status, body) = answered.lock().unwrap().take().unwrap();
    assert_eq!(status, 200);
    assert!(!body.contains("event:"), "{body}");
}

#[agent(model = "openai://m", preamble = "Plan.", output = Page, turns(max = 5, idle = "1h"))]
fn plan(_: &Draft) -> String {
    String::new()
}

#[flow(named)]
fn planning(draft: Draft) -> Page {
    flow! { plan }
}

#[tokio::test]
async fn an_agent_that_waits_for_a_message_is_shown_with_its_answer_and_its_time() {
    let server = server();
    let address = served(&server).await;
    let script = ScriptedModel::new().reply("plan", json!({ "n": 1 }));
    let mut run = planning::start(Draft { n: 1 }).unwrap().with_run_id("r");
    let hub = run.hub();
    let page = async {
        let shown = shown_as(address, "r", |it| it["listening"][0].is_object()).await;
        let agent = &shown["listening"][0];
        let run_of_agent = agent["agent"].as_str().unwrap();
        assert_eq!(
            (
                &agent["node"],
                &agent["items"],
                &agent["turn"],
                &agent["answer"]
            ),
            (&json!("plan"), &json!([]), &json!(1), &json!({ "n": 1 }))
        );
        assert_eq!(shown["status"]["type"], "waiting");
        assert_eq!(shown["status"]["why"], "message");
        assert_eq!(shown["status"]["until"], agent["until"]);
        assert!(agent["until"].as_u64().unwrap() > 1_700_000_000_000);
        hub.close_agent(run_of_agent).await.unwrap();
    };
    let ctx = Context::default().with_dep(script);
    let channels = Channels::new().with_required(server.channel());
    let (out, ()) = within(async { tokio::join!(run.serve_with(ctx, channels), page) }).await;
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 1 }));
}
