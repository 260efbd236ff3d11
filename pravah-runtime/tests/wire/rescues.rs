//! What a node learns that takes the failure of an agent: it may put it into a prompt.

use pravah_runtime::{Provider, prelude::*};

use crate::{
    flows::{Ticket, Verdict},
    server::{Server, factory, json},
};

#[agent(model = "openai://test-model", preamble = "You triage.", output = Verdict)]
fn triage(_: &Ticket) -> String {
    "The printer is on fire.".to_owned()
}

#[node]
fn rescue(failure: &Failure<Ticket>) -> Verdict {
    Verdict {
        urgent: true,
        note: Some(failure.message.clone()),
    }
}

#[flow(named)]
fn rescued(ticket: Ticket) -> Verdict {
    flow! { triage; catch(triage) -> rescue }
}

/// What the rescue is told.
async fn told(factory: ClientFactory) -> String {
    let run = rescued::start(Ticket {}).unwrap().with_factory(factory);
    let mut run = run.with_model("triage", "openai://test-model").unwrap();
    match run.run(Context::default()).await {
        Ok(RunOut::Done(verdict)) => verdict.note.unwrap(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_rescue_never_sees_a_servers_words() {
    for (status, body) in [
        (400, r#"{"error":{"message":"planted"}}"#),
        (404, "planted"),
        (200, r#"{"error":{"code":400,"message":"planted"}}"#),
        (200, r#"{"error":"planted"}"#),
        (403, r#"{"error":"planted"}"#),
    ] {
        let server = Server::start(Provider::OpenAi, move || json(status, body)).await;
        let told = told(server.factory.clone()).await;
        assert!(!told.contains("planted"), "{told}");
        assert!(!told.contains(&server.address), "{told}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_rescue_never_sees_a_servers_address() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let (factory, _) = factory(Provider::OpenAi, &address);
    let told = told(factory).await;
    assert!(told.contains("could not be reached"), "{told}");
    assert!(!told.contains(&address), "{told}");
}

#[state]
struct Case {}

#[flow(named)]
fn plain(ticket: Ticket) -> Verdict {
    flow! { triage }
}

#[node]
async fn ask_inside(_: &Case, ctx: Context) -> Result<Verdict, FlowError> {
    plain(Ticket {}, ctx).await
}

#[node]
fn rescue_case(failure: &Failure<Case>) -> Verdict {
    Verdict {
        urgent: true,
        note: Some(failure.message.clone()),
    }
}

#[flow]
fn asking_inside(case: Case) -> Verdict {
    flow! { ask_inside; catch(ask_inside) -> rescue_case }
}

#[tokio::test]
async fn a_rescue_never_sees_a_servers_words_from_within_a_nodes_error() {
    let server = Server::start(Provider::OpenAi, || json(404, r#"{"error":"planted"}"#)).await;
    let ctx = Context::default().with_dep(server.factory.clone());
    let told = asking_inside(Case {}, ctx).await.unwrap().note.unwrap();
    assert_eq!(
        told,
        "the model of agent `triage` failed: upstream model error"
    );
}
