//! What conversations cost: as much as is said in a step, however much was said before.

use std::{
    ptr,
    sync::{Arc, Mutex},
};

use pravah_runtime::{
    Agent, AgentConfig, Arguments, Changes, ClientFactory, Context, Flow, FlowError, FlowGraph,
    FlowRuntime, FlowSnapshot, Messages, ModelClient, ModelFuture, ModelRequest, ModelResponse,
    Opaque, RunOut, ToolBox, ToolCall,
};
use serde_json::json;

use crate::{
    changes::{take, text},
    changes_size::{Size, of_each_step, size},
    engine_support::{agents::Look, restart, states},
};

states!(Chat, Said);

impl Agent for Chat {
    type Output = Said;

    fn build() -> AgentConfig {
        AgentConfig::new("You chat.", "openai://m")
            .with_tools(ToolBox::new().with::<Look>())
            .max_turns(10_000)
    }
}

impl Flow for Chat {
    type Output = Said;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder().agent::<Chat>().build()
    }
}

/// A model that calls a tool that often, two messages each time, and remembers what it was sent.
#[derive(Clone, Default)]
struct Talker {
    calls: usize,
    /// The calls come with the same id each time, and with thoughts.
    thinks: bool,
    sent: Arc<Mutex<Vec<Messages>>>,
}

impl Talker {
    fn that_calls(calls: usize) -> Self {
        Self {
            calls,
            ..Self::default()
        }
    }

    fn start(&self) -> FlowRuntime<Chat> {
        let run = FlowRuntime::new(Chat { n: 0 }).unwrap().with_run_id("r");
        self.on(run)
    }

    fn on(&self, run: FlowRuntime<Chat>) -> FlowRuntime<Chat> {
        run.with_factory(ClientFactory::new().with_client(Arc::new(self.clone())))
    }

    fn sent(&self) -> Vec<Messages> {
        self.sent.lock().unwrap().clone()
    }
}

impl ModelClient for Talker {
    fn wants_counts(&self) -> bool {
        false
    }

    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        self.sent.lock().unwrap().push(request.messages.clone());
        let (tool, arguments) = match request.turn() < self.calls {
            true => ("look", json!({})),
            false => ("submit", json!({ "n": 1 })),
        };
        let call = ToolCall::new("call", tool, Arguments::Json(arguments));
        let mut response = ModelResponse::calls([call]);
        response.opaque = self
            .thinks
            .then(|| Opaque::new("openai", "m", json!(["a thought"])));
        Box::pin(async move { Ok(response) })
    }
}

/// What the messages of a conversation are in changes.
fn said(changes: &Changes) -> Vec<(&str, String)> {
    let put = changes.put().map(|(key, value)| (key, value.to_string()));
    put.filter(|(key, _)| key.contains("/conversation/"))
        .collect()
}

#[tokio::test]
async fn a_step_of_an_agent_changes_as_much_after_many_messages_as_after_few() {
    let calls = 1_500;
    let all = of_each_step(Talker::that_calls(calls).start()).await;
    // The start, two steps for each call, and the last.
    assert_eq!(all.len(), 2 * calls + 2);
    for (step, changes) in all.iter().enumerate().skip(1).take(2 * calls) {
        // The prompt is written with the first answer.
        let new = said(changes);
        assert_eq!(
            new.len(),
            if step == 1 { 2 } else { 1 },
            "{}",
            text(changes)
        );
        let (key, _) = new.last().unwrap();
        assert_eq!(*key, format!("/agents/Chat/conversation/{step}"));
        // Besides there are the number of the step, the agent's own fields and what became of its turn.
        let Size { keys, bytes } = size(changes);
        assert!(keys <= new.len() + 5 && bytes < 750, "{}", text(changes));
    }
    // Longer numbers are all that a longer conversation adds.
    let bytes = |step: usize| size(&all[step]).bytes;
    for step in [11, 12] {
        let longer = bytes(step + 2 * calls - 20) - bytes(step);
        assert!(longer < 40, "{longer}");
    }
}

#[tokio::test]
async fn a_conversation_that_ends_is_one_deletion_however_long_it_was() {
    for calls in [1, 20, 300] {
        let changes = of_each_step(Talker::that_calls(calls).start()).await;
        let end = changes.last().unwrap();
        let of_agent = |key: &&str| key.starts_with("/agents/");
        let deleted: Vec<&str> = end.deleted().filter(of_agent).collect();
        assert_eq!(deleted, ["/agents/Chat"]);
    }
}

/// A step copies no message, whoever else has the conversation: a snapshot, the state since which changes
/// are taken, a request that was kept.
#[tokio::test]
async fn a_message_is_made_once_whoever_holds_the_conversation() {
    let talker = Talker::that_calls(50);
    let mut run = talker.start();
    let mut held: Vec<FlowSnapshot> = Vec::new();
    for _ in 0..2 * talker.calls {
        run.next(Context::default()).await.unwrap();
        held.push(run.snapshot());
        take(&mut run);
    }
    let sent = talker.sent();
    let last = sent.last().unwrap();
    assert_eq!(sent.len(), talker.calls);
    for (n, messages) in sent.iter().enumerate() {
        assert_eq!(messages.len(), 1 + 2 * n);
        assert!(
            messages
                .iter()
                .zip(last)
                .all(|(one, same)| ptr::eq(one, same))
        );
    }
}

#[tokio::test]
async fn a_conversation_goes_on_from_a_snapshot_that_was_taken_in_it() {
    let talker = Talker::that_calls(6);
    let mut run = talker.start();
    let mut held = Vec::new();
    loop {
        held.push((run.snapshot(), talker.sent().len()));
        if run.next(Context::default()).await.unwrap() != RunOut::Continue {
            break;
        }
    }
    let sent = talker.sent();
    for (snapshot, asked) in held {
        let again = Talker::that_calls(6);
        let mut run = again.on(FlowRuntime::from_snapshot(snapshot).unwrap());
        run.run(Context::default()).await.unwrap();
        assert_eq!(again.sent(), sent[asked..]);
    }
}

/// The engine looks at each message once, and knows the same of them as if it had looked at all.
#[tokio::test]
async fn ids_are_unique_and_thoughts_go_back_however_often_the_run_is_restored() {
    let of = |every: usize| async move {
        let talker = Talker {
            thinks: true,
            ..Talker::that_calls(30)
        };
        let mut run = talker.start();
        for step in 0..60 {
            if step % every == 0 {
                run = talker.on(restart(&run));
            }
            run.next(Context::default()).await.unwrap();
        }
        talker.sent()
    };
    let sent = of(1_000).await;
    let last = serde_json::to_value(sent.last().unwrap()).unwrap();
    let answers = last.as_array().unwrap().iter();
    let answers = answers.filter(|message| message["role"] == "assistant");
    let mut ids: Vec<&str> = answers
        .map(|answer| {
            assert_eq!(answer["opaque"]["items"][0], "a thought");
            answer["calls"][0]["id"].as_str().unwrap()
        })
        .collect();
    assert_eq!(ids.len(), 29);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 29);
    for every in [1, 2, 7] {
        assert_eq!(of(every).await, sent);
    }
}

/// A snapshot belongs to whoever took it, on whichever thread.
#[tokio::test]
async fn snapshots_are_written_on_other_threads_while_the_run_goes_on() {
    let talker = Talker::that_calls(40);
    let mut run = talker.start();
    let mut written = Vec::new();
    let mut out = RunOut::Continue;
    while out == RunOut::Continue {
        let snapshot = run.snapshot();
        let expected = serde_json::to_vec(&snapshot).unwrap();
        let write = move || serde_json::to_vec(&snapshot).unwrap();
        written.push((expected, std::thread::spawn(write)));
        out = run.next(Context::default()).await.unwrap();
    }
    assert_eq!(out, RunOut::Done(Said { n: 1 }));
    for (expected, thread) in written {
        assert_eq!(thread.join().unwrap(), expected);
    }
}

mod anew {
    use pravah_runtime::{
        Entries, ScriptedModel, ScriptedTurn, ToolError, Usage, agent, flow, state, tool,
    };

    use super::*;

    #[state]
    struct Topic {
        text: String,
    }

    #[state]
    struct Note {
        text: String,
    }

    /// Fails.
    #[tool]
    async fn fail() -> Result<(), ToolError> {
        Err(ToolError::fatal("closed"))
    }

    #[agent(
        model = "openai://m",
        preamble = "You take notes.",
        output = Note,
        tools = [fail],
        retry(max_attempts = 2, backoff = "1s")
    )]
    fn note(topic: &Topic) -> String {
        topic.text.clone()
    }

    #[flow(named)]
    fn noting(topic: Topic) -> Note {
        flow! { note }
    }

    /// What was paid is kept, and nothing was said yet.
    #[tokio::test(start_paused = true)]
    async fn an_agent_that_starts_anew_reads_back_from_entries() {
        let call = ScriptedTurn::call("fail", json!({})).with_usage(Usage::new(10, 1));
        let script = ScriptedModel::new()
            .turn("note", call)
            .reply("note", json!({ "text": "done" }));
        let text = "trains".to_owned();
        let run = noting::start(Topic { text }).unwrap();
        let mut run = run.with_factory(ClientFactory::from(script));
        let mut entries = Entries::default();
        loop {
            let out = run.next(Context::default()).await.unwrap();
            entries.apply(run.take_changes().unwrap());
            let snapshot = FlowSnapshot::from_entries(&entries).unwrap();
            let whole = serde_json::to_string(&run).unwrap();
            assert_eq!(serde_json::to_string(&snapshot).unwrap(), whole);
            match out {
                RunOut::Done(_) => break,
                RunOut::Waiting { .. } => run.wait().await,
                _ => {}
            }
        }
    }
}
