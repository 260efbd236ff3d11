//! Keys that are missing, blank or refused.

use std::sync::atomic::Ordering;

use pravah_runtime::{ClientFactory, ModelErrorKind, ModelUrl, Provider, Server as Remote};

use crate::{
    cases,
    failures::{body, error},
    server::{KEY, Server, json},
    servers::client,
};

/// A server that refuses access, asked without a key.
async fn refused(provider: Provider, status: u16, body: String) -> String {
    let server = Server::start(provider, move || json(status, body.clone())).await;
    let factory = match provider {
        Provider::Ollama => ClientFactory::new(),
        provider => {
            ClientFactory::new().with_base_url(provider, format!("http://{}", server.address))
        }
    };
    let client = factory.client(&server.url).unwrap();
    let error = client.complete(&cases::structured()).await.unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Auth);
    assert!(server.last().headers.get("authorization").is_none());
    error.to_string()
}

#[tokio::test]
async fn access_refused_without_a_key_says_how_to_set_one_and_what_the_server_said() {
    for provider in Provider::ALL {
        let variable = provider.key_variable();
        if variable.is_some_and(|name| std::env::var_os(name).is_some()) {
            continue;
        }
        let call = "call `ClientFactory::with_key`";
        let help = match variable {
            Some(name) => format!("no key was sent: set `{name}`, or {call}"),
            None => format!("no key was sent: {call}"),
        };
        for status in [401, 403] {
            let error = refused(provider, status, body(provider, "who are you?")).await;
            let start = format!("{help} (status {status} at http://");
            assert!(error.starts_with(&start), "{error}");
            let error = refused(provider, status, "<html>Sign in</html>".to_owned()).await;
            let start = format!("{help}; the server said: <html>Sign in</html> (status {status}");
            assert!(error.starts_with(&start), "{error}");
        }
    }
}

#[tokio::test]
async fn a_server_of_the_users_own_has_its_own_function_for_the_key() {
    let server = Server::start(Provider::OpenAi, || json(401, "")).await;
    let address = format!("http://{}/v1", server.address);
    let start = "no key was sent: call `Server::key` (status 401 at ";
    for remote in [
        Remote::openai_compatible(&*address),
        Remote::new(Provider::Anthropic, &*address).header("x-team", "support"),
    ] {
        let error = client(remote).complete(&cases::structured()).await;
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with(start), "{error}");
    }
    // A header or a query may hold the key.
    for remote in [
        Remote::openai_compatible(&*address).key(KEY),
        Remote::openai_compatible(&*address).token(|| async { Ok("token".to_owned()) }),
        Remote::openai_compatible(&*address).header("api-key", KEY),
        Remote::openai_compatible(format!("{address}?key={KEY}")),
    ] {
        let error = client(remote).complete(&cases::structured()).await;
        let error = error.unwrap_err().to_string();
        let start = "the key was not accepted (status 401 at ";
        assert!(error.starts_with(start), "{error}");
    }
}

#[tokio::test]
async fn a_key_that_is_refused_by_another_kind_of_server_is_told_with_its_words() {
    for provider in Provider::ALL {
        for (status, why) in [
            (401, "the key was not accepted"),
            (403, "access was denied"),
        ] {
            let own = error(provider, move || json(status, body(provider, KEY))).await;
            let start = format!("{why} (status {status} at ");
            assert!(own.to_string().starts_with(&start), "{own}");
            let text = format!("<h1>Blocked</h1> {KEY}");
            let foreign = error(provider, move || json(status, text.clone())).await;
            let start = format!("{why}; the server said: <h1>Blocked</h1> … (status {status} at ");
            assert!(foreign.to_string().starts_with(&start), "{foreign}");
        }
    }
}

#[tokio::test]
async fn a_blank_or_malformed_key_is_refused_before_sending() {
    let blank = "is blank";
    let odd = "holds characters that no key has, such as white space";
    for (key, problem) in [
        ("", blank),
        (" \t", blank),
        ("\n", blank),
        ("two words", odd),
        ("line\nline", odd),
        ("caf\u{e9}", odd),
    ] {
        for provider in Provider::ALL {
            let server = Server::start(provider, || json(200, "{}")).await;
            let factory = server.factory.clone().with_key(provider, key);
            let error = factory.client(&server.url).map(drop).unwrap_err();
            assert_eq!(error.kind(), ModelErrorKind::Config, "{provider:?}");
            let whose = match provider.key_variable() {
                Some(name) => format!("the key for {provider}, set in place of `{name}`,"),
                None => format!("the key for {provider}"),
            };
            assert_eq!(error.to_string(), format!("{whose} {problem}"));
            assert_eq!(server.connections.load(Ordering::Relaxed), 0);
        }
        let remote = Remote::openai_compatible("http://127.0.0.1:1/v1").key(key);
        let factory = ClientFactory::new().with_server("acme", remote);
        let client = factory.client(&ModelUrl::custom("acme://m").unwrap());
        let error = client.map(drop).unwrap_err().to_string();
        assert_eq!(error, format!("the key for the server of `acme` {problem}"));
    }
}

#[tokio::test]
async fn a_blank_token_is_refused_before_sending() {
    let server = Server::start(Provider::OpenAi, || json(200, "{}")).await;
    let address = format!("http://{}/v1", server.address);
    let remote = Remote::openai_compatible(address).token(|| async { Ok("\n".to_owned()) });
    let error = client(remote).complete(&cases::structured()).await;
    assert_eq!(error.unwrap_err().to_string(), "the access token is blank");
    assert_eq!(server.requests(), 0);
}

#[tokio::test]
async fn the_line_end_of_a_file_is_no_part_of_a_key() {
    let body = cases::read(Provider::OpenAi, "structured.response.json");
    let server = Server::start(Provider::OpenAi, move || json(200, body.clone())).await;
    let factory = server.factory.clone();
    let factory = factory.with_key(Provider::OpenAi, format!("{KEY}\r\n"));
    let client = factory.client(&server.url).unwrap();
    client.complete(&cases::structured()).await.unwrap();
    let sent = &server.last().headers["authorization"];
    assert_eq!(sent, &format!("Bearer {KEY}"));
}

/// Which error a client of OpenAI ends with in a process with this environment.
fn in_environment(key: &str) -> String {
    let child = "keys::child_prints_the_error_of_the_environments_key";
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([child, "--exact", "--ignored", "--nocapture"])
        .env("OPENAI_API_KEY", key)
        .env_remove("OPENAI_BASE_URL")
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_malformed_key_in_the_environment_names_its_variable() {
    for (key, problem) in [
        (
            "",
            "there is no key for OpenAI: set `OPENAI_API_KEY`, or call `ClientFactory::with_key`; pass the factory to each run, also a restored one, with `with_factory`; in a test put a script into the context of each call with `with_dep`",
        ),
        (" ", "the key for OpenAI, `OPENAI_API_KEY`, is blank"),
        (
            "a b",
            "the key for OpenAI, `OPENAI_API_KEY`, holds characters that no key has",
        ),
    ] {
        let output = in_environment(key);
        assert!(output.contains(problem), "{output}");
    }
}

#[test]
#[ignore = "the test above runs it in a process of its own"]
fn child_prints_the_error_of_the_environments_key() {
    let client = ClientFactory::new().client(&ModelUrl::parse("openai://m").unwrap());
    println!("{}", client.map(drop).unwrap_err());
}
