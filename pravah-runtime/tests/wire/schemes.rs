//! The schemes that a factory knows, and those that a user adds.

use std::sync::Arc;

use pravah_runtime::{
    ClientFactory, ModelClient, ModelErrorKind, ModelUrl, Provider, ScriptedModel, Server as Remote,
};

use crate::{
    cases,
    server::KEY,
    servers::{at, openai},
};

#[test]
fn an_unknown_scheme_says_how_to_add_one() {
    let client = ClientFactory::new().client(&ModelUrl::custom("acme://m").unwrap());
    let error = client.map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("unknown model scheme `acme`"), "{error}");
    assert!(error.contains("`ClientFactory::with_server`"), "{error}");
    assert!(error.contains("`register`"), "{error}");
}

#[test]
fn a_server_for_the_crate_genai_is_refused_rather_than_ignored() {
    let remote = Remote::openai_compatible("http://127.0.0.1:1/v1").header("x-team", "support");
    let factory = ClientFactory::new().with_server("genai", remote);
    let client = factory.client(&ModelUrl::parse("genai://m").unwrap());
    let error = client.map(|_| ()).unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Config);
    assert!(
        error.to_string().contains("`ClientFactory::with_genai`"),
        "{error}"
    );
}

fn set_up_wrongly(factory: ClientFactory) -> String {
    let client = factory.client(&ModelUrl::parse("ollama://localhost:1/m").unwrap());
    let error = client.map(drop).unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Config);
    error.to_string()
}

#[test]
fn a_name_that_cannot_be_a_scheme_is_an_error_that_says_what_can() {
    let rule = "it has a letter, and then letters, digits, `+`, `-` and `.`";
    for (name, help) in [
        ("my_server", rule),
        ("my server", rule),
        ("1st", rule),
        ("", rule),
        ("local://", "write `local`"),
        ("local:", "write `local`"),
    ] {
        let remote = Remote::openai_compatible("http://127.0.0.1:1/v1");
        let text = format!("`{name}` is not a scheme: {help}");
        let error = set_up_wrongly(ClientFactory::new().with_server(name, remote));
        assert_eq!(error, text);
        let script = || Ok(Arc::new(ScriptedModel::new()) as Arc<dyn ModelClient>);
        let error = set_up_wrongly(ClientFactory::new().register(name, move |_| script()));
        assert_eq!(error, text);
    }
    let error = ModelUrl::custom("my_server://m").unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("`my_server` is not a scheme: {rule}")
    );
}

#[test]
fn a_scheme_of_the_users_own_is_not_replaced_in_silence() {
    let remote = || Remote::openai_compatible("http://127.0.0.1:1/v1");
    let script = || Ok(Arc::new(ScriptedModel::new()) as Arc<dyn ModelClient>);
    let factory = ClientFactory::new;
    for (twice, name) in [
        (
            factory()
                .with_server("a", remote())
                .with_server("a", remote()),
            "a",
        ),
        (
            factory()
                .register("a", move |_| script())
                .register("a", move |_| script()),
            "a",
        ),
        (
            factory()
                .with_server("a", remote())
                .register("a", move |_| script()),
            "a",
        ),
        (
            factory()
                .with_key(Provider::OpenAi, KEY)
                .with_server("openai", remote()),
            "openai",
        ),
        (
            factory()
                .register("openai", move |_| script())
                .with_key(Provider::OpenAi, KEY),
            "openai",
        ),
    ] {
        let text =
            format!("the scheme `{name}` is set up twice: one of the two needs another name");
        assert_eq!(set_up_wrongly(twice), text);
    }
}

#[tokio::test]
async fn a_server_may_take_the_place_of_a_provider() {
    let server = openai().await;
    let factory = ClientFactory::new().with_server("openai", at(&server, "/own"));
    let client = factory.client(&ModelUrl::parse("openai://m").unwrap());
    let asked = client.unwrap().complete(&cases::structured()).await;
    asked.unwrap();
    assert_eq!(server.last().uri, "/own/chat/completions");
}

#[test]
fn each_scheme_is_listed_once() {
    let factory = ClientFactory::new().with_key(Provider::OpenAi, KEY);
    let client = factory.client(&ModelUrl::custom("acme://m").unwrap());
    let error = client.map(drop).unwrap_err().to_string();
    assert_eq!(error.matches("`openai`").count(), 1, "{error}");
}
