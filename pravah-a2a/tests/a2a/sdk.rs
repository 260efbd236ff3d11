//! The official SDKs of A2A on the other side, as processes of their own on loopback. `conformance/run` installs them, and
//! says where they are: `PRAVAH_A2A_PYTHON` is a Python that has one, and `PRAVAH_A2A_NODE` a folder of Node's with the
//! other and the scripts of `conformance/a2a`. Without these nothing is tested here.

use std::{path::PathBuf, process::Stdio, time::Duration};

use pravah_a2a::{A2aRunner, Caller};
use pravah_runtime::{
    invocation::{AgentRegistry, Invocation, InvocationResult, Message, Target, TaskStatus},
    prelude::*,
};
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    process::{Child, Command},
};

use crate::support::{Restarts, answer, http, restart_at_every_step, serve, serve_as};

/// The commands that run a script of both SDKs.
fn sdks(script: &str) -> Vec<Command> {
    let python = std::env::var_os("PRAVAH_A2A_PYTHON").map(|python| {
        let scripts = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../conformance/a2a"));
        let mut command = Command::new(python);
        command.arg(scripts.join(format!("{script}.py")));
        command.env("OTEL_INSTRUMENTATION_A2A_SDK_ENABLED", "false");
        command
    });
    let node = std::env::var_os("PRAVAH_A2A_NODE").map(|folder| {
        let mut command = Command::new("node");
        command.arg(PathBuf::from(folder).join(format!("{script}.mjs")));
        command
    });
    let sdks: Vec<Command> = python.into_iter().chain(node).collect();
    if sdks.is_empty() {
        eprintln!("skipped: neither PRAVAH_A2A_PYTHON nor PRAVAH_A2A_NODE is set");
    }
    sdks
}

#[tokio::test(flavor = "multi_thread")]
async fn their_clients_find_in_our_server_all_that_they_expect() {
    for mut client in sdks("client") {
        let served = serve().await;
        let output = client.arg(&served.url).output().await.unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let failed = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{client:?}\n{said}\n{failed}");
        assert!(said.starts_with("ok: "), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn their_clients_are_let_in_with_a_token() {
    for mut client in sdks("client") {
        let served = serve_as(|server| {
            server.with_bearer(|token| (token == "secret").then(|| Caller::new("ada")))
        })
        .await;
        let client = client.arg(&served.url).env("A2A_TOKEN", "secret");
        let output = client.output().await.unwrap();
        let failed = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{client:?}\n{failed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_for_operators_finds_nothing_wrong_with_our_cards() {
    let Some(python) = std::env::var_os("PRAVAH_A2A_PYTHON") else {
        return eprintln!("skipped: PRAVAH_A2A_PYTHON is not set");
    };
    let served = serve_as(|server| server.with_bearer(|_| None)).await;
    let mut tool = Command::new(PathBuf::from(&python).with_file_name("a2aops"));
    let base = format!("{}/agents/greet", served.url);
    let output = tool.args(["card", "check", &base]).output().await.unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("ERROR"), "{said}");
}

/// A server of an SDK, which is killed when it is dropped.
struct Peer {
    url: String,
    _process: Child,
}

impl Peer {
    async fn start(mut command: Command, settings: &[(&str, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let command = command.arg(port.to_string()).envs(settings.iter().copied());
        let process = command.stderr(Stdio::null()).kill_on_drop(true).spawn();
        let peer = Self {
            url: format!("http://127.0.0.1:{port}"),
            _process: process.unwrap(),
        };
        let card = format!("{}/.well-known/agent-card.json", peer.url);
        for _ in 0..1_200 {
            if http().get(&card).send().await.is_ok() {
                return peer;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("{command:?} does not start");
    }

    /// An agent of this server, as one of a registry.
    fn registry(&self) -> AgentRegistry {
        let runner = A2aRunner::new()
            .with_agent("peer", &self.url)
            .with_bearer(&self.url, "secret");
        AgentRegistry::new()
            .with_runner(runner)
            .with_remote_agent("peer", "a2a")
    }

    fn run(&self, message: impl Into<Message>) -> FlowRuntime<AgentRegistry> {
        let target = Target::named("peer", message);
        self.registry().invoke(Invocation::single(target)).unwrap()
    }

    async fn outcome(&self, message: impl Into<Message>) -> (TaskStatus, Value) {
        outcome(self.run(message)).await
    }

    async fn asked(&self, what: &str) -> Value {
        answer(http().get(format!("{}/{what}", self.url))).await.1
    }
}

async fn outcome(mut run: FlowRuntime<AgentRegistry>) -> (TaskStatus, Value) {
    let out = tokio::time::timeout(Duration::from_secs(60), run.serve(Context::default()));
    match out.await.unwrap().unwrap() {
        RunOut::Done(InvocationResult::Scalar { result, .. }) => (result.status, result.content),
        out => panic!("{out:?}"),
    }
}

/// Every server of theirs: over JSON-RPC, over HTTP+JSON, and without streams.
async fn peers() -> Vec<Peer> {
    let mut peers = Vec::new();
    for settings in [
        &[][..],
        &[("A2A_BINDING", "rest")],
        &[("A2A_STREAMING", "no")],
    ] {
        for command in sdks("server") {
            peers.push(Peer::start(command, settings).await);
        }
    }
    peers
}

#[tokio::test(flavor = "multi_thread")]
async fn our_runner_gets_from_their_servers_what_their_agents_return() {
    use TaskStatus::{Completed, Failed};
    for peer in peers().await {
        for (message, status, content) in [
            ("echo hello", Completed, json!("hello")),
            (
                "json",
                Completed,
                json!({ "n": 3, "name": "x", "list": [1, 2.5] }),
            ),
            ("chunks", Completed, json!("one two three")),
            ("soon", Completed, json!("soon done")),
            ("message", Completed, json!("just a message")),
            ("auth", Completed, json!("authorised")),
        ] {
            let outcome = peer.outcome(message).await;
            assert_eq!(outcome, (status, content), "{message} of {}", peer.url);
        }
        for (message, expected) in [("fail", "no such archive"), ("reject", "not today")] {
            let (status, why) = peer.outcome(message).await;
            assert_eq!(status, Failed);
            assert!(why.to_string().contains(expected), "{why}");
        }
        let data = peer.outcome(Message::data(json!({ "n": 3 }))).await;
        assert_eq!(data, (Completed, json!(r#"{"n":3}"#)));
        assert_eq!(peer.asked("authorizations").await, json!(["Bearer secret"]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_of_their_agent_is_a_question_of_the_run() {
    for peer in peers().await {
        let mut run = peer.run("ask");
        let out = run.run(Context::default()).await.unwrap();
        let RunOut::Suspend { value, tool_id } = out else {
            panic!("{out:?}")
        };
        assert_eq!(value, "Which city?");
        run.answer(Context::default(), &tool_id, "Cotonou")
            .await
            .unwrap();
        let expected = (TaskStatus::Completed, json!("answered: Cotonou"));
        assert_eq!(outcome(run).await, expected, "{}", peer.url);
        assert_eq!(peer.asked("executions").await, 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn their_agent_stops_where_the_run_is_cancelled() {
    for peer in peers().await {
        let mut run = peer.run("slow");
        while peer.asked("executions").await == 0 {
            let step = run.next(Context::default());
            drop(tokio::time::timeout(Duration::from_millis(300), step).await);
        }
        run.cancel("nobody waits").await.unwrap();
        drop(run.next(Context::default()).await);
        let request = http().get(format!("{}/rest/tasks", peer.url));
        let (_, listed) = answer(request.header("a2a-version", "1.0")).await;
        let state = &listed["tasks"][0]["status"]["state"];
        assert_eq!(state, "TASK_STATE_CANCELED", "{}: {listed}", peer.url);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn their_agents_start_once_however_often_the_run_is_restored() {
    for peer in peers().await {
        for restarts in [Restarts::AfterEachStep, Restarts::LosingEachStepOnce] {
            let before = peer.asked("executions").await.as_u64().unwrap();
            let input = json!({ "n": 3 });
            let registry = || peer.registry();
            let content = restart_at_every_step(registry, "peer", input, restarts).await;
            assert_eq!(content, json!(r#"{"n":3}"#));
            let after = peer.asked("executions").await.as_u64().unwrap();
            assert_eq!(after - before, 1, "{}", peer.url);
        }
    }
}
