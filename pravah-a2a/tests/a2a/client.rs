//! The runner, whose agents are those of an `A2aServer`.

use std::time::Duration;

use pravah_a2a::{A2aRunner, A2aServer, Caller};
use pravah_runtime::{
    invocation::{
        AgentRegistry, Executor, ExecutorHint, Invocation, InvocationResult, Message, RunnerConfig,
        Target, TaskStatus,
    },
    prelude::*,
};
use serde_json::{Value, json};

use crate::{
    agents::Finding,
    support::{Served, serve, serve_as},
};

const AGENTS: [&str; 5] = ["greet", "publish", "slow", "fail", "researcher"];

/// A runner that reaches the agents of a server over JSON-RPC, or over HTTP+JSON.
pub(crate) fn runner(served: &Served, binding: &str) -> A2aRunner {
    AGENTS.into_iter().fold(A2aRunner::new(), |runner, agent| {
        runner.with_agent(agent, format!("{}/{binding}/{agent}", served.url))
    })
}

const BINDINGS: [&str; 2] = ["agents", "rest"];

fn run_of(runner: A2aRunner, agent: &str, message: Message) -> FlowRuntime<AgentRegistry> {
    let registry = AgentRegistry::new()
        .with_runner(runner)
        .with_remote_agent(agent, "a2a");
    registry
        .invoke(Invocation::single(Target::named(agent, message)))
        .unwrap()
}

async fn result_of(mut run: FlowRuntime<AgentRegistry>) -> (TaskStatus, Value) {
    match run.serve(Context::default()).await.unwrap() {
        RunOut::Done(InvocationResult::Scalar { result, .. }) => (result.status, result.content),
        out => panic!("{out:?}"),
    }
}

fn ada() -> Message {
    Message::data(json!({ "name": "Ada" }))
}

#[tokio::test]
async fn a_flow_elsewhere_returns_its_data() {
    let served = serve().await;
    for binding in BINDINGS {
        let run = run_of(runner(&served, binding), "greet", ada());
        let expected = json!({ "text": "Hello, Ada" });
        assert_eq!(result_of(run).await, (TaskStatus::Completed, expected));
    }
}

#[tokio::test]
async fn an_agent_elsewhere_is_a_node_of_a_flow_with_types() {
    #[state]
    struct Question {
        text: String,
    }
    /// Looks things up.
    #[agent(runner = "a2a", output = Finding)]
    fn researcher(question: &Question) -> String {
        question.text.clone()
    }
    #[flow]
    fn research(question: Question) -> Finding {
        flow! { researcher }
    }

    let served = serve().await;
    for binding in BINDINGS {
        let question = Question {
            text: "Trains to Benin?".into(),
        };
        let run = FlowRuntime::new(question).unwrap();
        let mut run = run.with_runner(runner(&served, binding));
        let out = run.run(Context::default()).await.unwrap();
        let expected = Finding {
            text: "Little.".into(),
        };
        assert_eq!(out, RunOut::Done(expected));
    }
}

#[tokio::test]
async fn a_failure_elsewhere_says_why() {
    let served = serve().await;
    for binding in BINDINGS {
        let page = Message::data(json!({ "name": "page 1" }));
        let (status, why) = result_of(run_of(runner(&served, binding), "fail", page)).await;
        assert_eq!(status, TaskStatus::Failed);
        assert!(why.to_string().contains("out of paper"), "{why}");
    }
}

#[tokio::test]
async fn a_question_elsewhere_is_a_question_here() {
    let served = serve().await;
    for binding in BINDINGS {
        let draft = Message::data(json!({ "topic": "trains" }));
        let mut run = run_of(runner(&served, binding), "publish", draft);
        let out = run.run(Context::default()).await.unwrap();
        let RunOut::Suspend { value, tool_id } = out else {
            panic!("{out:?}")
        };
        assert_eq!(value["prompt"], "Publish trains?");

        let refused = run.answer(Context::default(), &tool_id, "perhaps").await;
        assert!(
            matches!(refused, Err(FlowError::ResumePayload { .. })),
            "{refused:?}"
        );
        assert_eq!(run.suspensions().len(), 1, "it is still asked");

        run.answer(Context::default(), &tool_id, true)
            .await
            .unwrap();
        let expected = json!({ "published": true });
        assert_eq!(result_of(run).await, (TaskStatus::Completed, expected));
    }
    assert_eq!(served.counter.get(), 2, "each gate has taken one answer");
}

#[tokio::test]
async fn cancelling_the_run_cancels_the_task_elsewhere() {
    let served = serve().await;
    for binding in BINDINGS {
        let wait = Message::data(json!({ "name": "Ada" }));
        let mut run = run_of(runner(&served, binding), "slow", wait);
        let context = Context::default();
        let before = served.counter.get();
        while served.counter.get() == before {
            let step = tokio::time::timeout(Duration::from_millis(200), run.next(context.clone()));
            drop(step.await);
        }
        run.cancel("nobody waits").await.unwrap();
        drop(run.next(context).await);
        let (_, listed) =
            crate::support::get_json(&served, "/agents/slow/tasks?status=TASK_STATE_CANCELED")
                .await;
        assert_eq!(listed["totalSize"], before + 1, "{listed}");
    }
}

#[tokio::test]
async fn observers_receive_the_events_of_a_remote_agent() {
    use pravah_runtime::{EventKind, RemoteEvent};

    let served = serve().await;
    let mut run = run_of(runner(&served, "agents"), "greet", ada());
    let mut events = run.events().only(["remote"]);
    result_of(run).await;
    let mut states = Vec::new();
    while let Some(event) = events.next().await {
        if let EventKind::Remote(RemoteEvent::Relayed { value, .. }) = event.kind {
            let told = [&value["task"]["status"], &value["statusUpdate"]["status"]];
            let told = told.iter().filter_map(|it| it["state"].as_str());
            states.extend(told.map(str::to_owned));
        }
    }
    assert_eq!(
        states.last().map(String::as_str),
        Some("TASK_STATE_COMPLETED")
    );
}

#[tokio::test]
async fn a_token_is_shown_to_its_server_alone() {
    let callers = |server: A2aServer| {
        server.with_bearer(|token| (token == "secret").then(|| Caller::new("ada")))
    };
    let (served, other) = (serve_as(callers).await, serve_as(callers).await);
    let with_token = |served: &Served| runner(served, "agents").with_bearer(&served.url, "secret");
    let run = run_of(with_token(&served), "greet", ada());
    assert_eq!(result_of(run).await.0, TaskStatus::Completed);

    let elsewhere = with_token(&served).with_agent("greet", format!("{}/agents/greet", other.url));
    let (status, why) = result_of(run_of(elsewhere, "greet", ada())).await;
    assert_eq!(status, TaskStatus::Failed);
    assert!(why.to_string().contains("with_bearer"), "{why}");
}

#[tokio::test]
async fn an_invocation_reaches_only_servers_that_the_host_has_allowed() {
    let served = serve().await;
    let url = format!("{}/agents/greet", served.url);
    let forced = |runner: A2aRunner| {
        let config = RunnerConfig::new("a2a").with_config(json!({ "url": url }));
        let target = Target::named("anybody", ada());
        let invocation =
            Invocation::single(target).with_executor(ExecutorHint::Force(Executor::remote(config)));
        let registry = AgentRegistry::new().with_runner(runner);
        registry.invoke(invocation).unwrap()
    };
    let (status, why) = result_of(forced(A2aRunner::new())).await;
    assert_eq!(status, TaskStatus::Failed);
    assert!(why.to_string().contains("A2aRunner::allow"), "{why}");

    let allowed = A2aRunner::new().allow(&served.url);
    assert_eq!(result_of(forced(allowed)).await.0, TaskStatus::Completed);
}

#[tokio::test]
async fn mistakes_in_the_set_up_say_what_to_do() {
    let served = serve().await;
    let bad = |url: &str| A2aRunner::new().with_agent("greet", url);
    let unknown = format!("{}/agents/nobody", served.url);
    for (runner, expected) in [
        (A2aRunner::new(), "with_agent"),
        (bad("archive.example.org"), "is no URL"),
        (
            bad("ftp://archive.example.org"),
            "neither `http://` nor `https://`",
        ),
        (bad("http://ada:secret@127.0.0.1"), "with_bearer"),
        (bad(&unknown), "no card of an agent"),
    ] {
        let (status, why) = result_of(run_of(runner, "greet", ada())).await;
        assert_eq!(status, TaskStatus::Failed);
        assert!(why.to_string().contains(expected), "{why}");
        assert!(!why.to_string().contains("secret"), "{why}");
    }
}

#[tokio::test]
async fn a_runner_shows_no_token() {
    let runner = A2aRunner::new()
        .with_agent("greet", "https://archive.example.org")
        .with_bearer("https://archive.example.org", "secret");
    let shown = format!("{runner:?}");
    assert!(!shown.contains("secret"), "{shown}");
}
