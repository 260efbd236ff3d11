//! Messages at random moments, with steps that are dropped and processes that end: each is in the inbox or in the
//! conversation, and in neither twice.

use std::{sync::Arc, time::Duration};

use pravah_runtime::{
    Hub, Message, ModelClient, ModelFuture, ModelRequest, ModelResponse, Sent, prelude::*,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::{Draft, Page, now};

/// Talks.
#[agent(model = "openai://m", output = Page, turns(max = 9, idle = "20ms"))]
fn talk(draft: &Draft) -> String {
    draft.n.to_string()
}

#[flow(named)]
fn talking(draft: Draft) -> Page {
    flow! { talk }
}

/// Answers with how many messages there were, after a few milliseconds.
struct Counter;

impl ModelClient for Counter {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        let texts = request.messages.iter().filter_map(Message::user_text);
        let n = texts.count();
        Box::pin(async move {
            sleep(Duration::from_millis(n as u64 % 7)).await;
            Ok(ModelResponse::default().with_text(json!({ "n": n }).to_string()))
        })
    }
}

#[derive(Clone, Copy, Debug)]
enum Action {
    Send,
    SendToNode,
    Step,
    /// The step is dropped after so many milliseconds.
    Drop(u64),
    Idle(u64),
    Restart,
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        1 => Just(Action::Send),
        1 => Just(Action::SendToNode),
        2 => Just(Action::Step),
        1 => (0_u64..8).prop_map(Action::Drop),
        1 => (0_u64..25).prop_map(Action::Idle),
        1 => Just(Action::Restart),
    ]
}

struct Talk {
    run: FlowRuntime<talking>,
    hub: Hub,
    sent: Vec<Sent>,
    refused: Vec<usize>,
}

impl Talk {
    fn around(run: FlowRuntime<talking>, sent: Vec<Sent>, refused: Vec<usize>) -> Self {
        let factory = ClientFactory::new().with_client(Arc::new(Counter));
        let mut run = run.with_factory(factory);
        let hub = run.hub();
        Self {
            run,
            hub,
            sent,
            refused,
        }
    }

    fn restart(self) -> Self {
        let stored = serde_json::to_string(&self.run).unwrap();
        assert_eq!(stored, serde_json::to_string(&self.run.snapshot()).unwrap());
        let run = FlowRuntime::from_snapshot(serde_json::from_str(&stored).unwrap()).unwrap();
        Self::around(run, self.sent, self.refused)
    }

    async fn act(mut self, action: Action) -> Self {
        let tag = (self.sent.len() + 1).to_string();
        match action {
            Action::Send => self
                .sent
                .push(self.hub.send_to_agent("r/talk(Draft)#1@1", tag)),
            Action::SendToNode => self.sent.push(self.hub.send_to("talk", tag)),
            Action::Step => drop(self.run.next(Context::default()).await),
            Action::Drop(after) => {
                let step = self.run.next(Context::default());
                drop(timeout(Duration::from_millis(after), step).await);
            }
            Action::Idle(time) => sleep(Duration::from_millis(time)).await,
            Action::Restart => self = self.restart(),
        }
        self.check();
        self
    }

    fn check(&mut self) {
        let run = serde_json::to_value(self.run.snapshot()).unwrap();
        for (tag, sent) in (1..).zip(&mut self.sent) {
            if self.refused.contains(&tag) {
                continue;
            }
            if let Some(Err(error)) = now(sent)
                && !matches!(error, FlowError::RunDropped)
            {
                let is_over = matches!(error, FlowError::NoAgentRun(_) | FlowError::Finished);
                assert!(is_over, "{error}");
                self.refused.push(tag);
            }
        }
        let has_ended = run.get("output").is_some();
        let mut known = [messages(&run), queued(&run), self.refused.clone()].concat();
        known.sort_unstable();
        let sent: Vec<usize> = (1..=self.sent.len()).collect();
        if !has_ended {
            assert_eq!(known, sent, "{run}");
        }
    }
}

fn queued(run: &Value) -> Vec<usize> {
    let commands = run["inbox"].as_object().into_iter().flatten();
    commands.map(|(_, command)| tag(&command["text"])).collect()
}

/// The messages that the agent has received.
fn messages(run: &Value) -> Vec<usize> {
    let said = run["agents"]["Draft"]["conversation"].as_array();
    let users = said.into_iter().flatten();
    let users = users.filter(|message| message["role"] == "user").skip(1);
    users
        .map(|message| tag(&message["parts"][0]["text"]))
        .collect()
}

fn tag(text: &Value) -> usize {
    text.as_str()
        .unwrap_or_else(|| panic!("{text}"))
        .parse()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_message_is_received_once_or_its_sender_is_told(
        actions in prop::collection::vec(action(), 0..60),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let run = talking::start(Draft { n: 0 }).unwrap().with_run_id("r");
            let mut talk = Talk::around(run, Vec::new(), Vec::new());
            for action in actions {
                talk = talk.act(action).await;
                if talk.run.output().unwrap().is_some() {
                    break;
                }
            }
            let is_done = talk.run.output().unwrap().is_some();
            if !is_done {
                talk.run.run(Context::default()).await.unwrap();
            }
            let received = talk.run.history().get("talk");
            let received = received.map_or(0, |said| said.messages().iter().filter_map(Message::user_text).count());
            prop_assert_eq!(talk.run.output().unwrap().unwrap().n as usize, received);
            Ok(())
        })?;
    }
}
