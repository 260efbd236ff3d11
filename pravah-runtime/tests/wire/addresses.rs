//! An error names the address that was asked, and shows no secret of it.

use pravah_runtime::{ModelErrorKind, Provider, Server as Remote};

use crate::{
    cases,
    failures::{body, error, stream_error},
    server::{KEY, Server, factory, json},
    servers::client,
};

#[tokio::test]
async fn a_server_that_is_not_there_is_named_with_the_reason() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    for provider in Provider::ALL {
        let (factory, url) = factory(provider, &address);
        let client = factory.client(&url).unwrap();
        let error = client.complete(&cases::structured()).await.unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("the provider could not be reached: "),
            "{text}"
        );
        assert!(text.contains("refused"), "{text}");
        let at = error.address().unwrap();
        assert!(at.starts_with(&format!("http://{address}/")), "{at}");
        assert!(text.ends_with(&format!(" (at {at})")), "{text}");
        assert_eq!(error.usage(), None);
    }
}

#[tokio::test]
async fn an_unexplained_failure_names_status_address_and_start_of_body() {
    let html = format!("<html>\n  <p>{}</p>", "x".repeat(500));
    let long = format!("<html> <p>{}…", "x".repeat(190));
    for (status, body, said) in [
        (
            404,
            "404 page not found\n".to_owned(),
            "the server said: 404 page not found",
        ),
        (
            404,
            r#"{"detail":"Not Found"}"#.to_owned(),
            r#"the server said: {"detail":"Not Found"}"#,
        ),
        (500, html, &*format!("the server said: {long}")),
        (500, String::new(), "the server did not say why"),
        (
            503,
            "\u{0}\u{1}binary".to_owned(),
            "the server did not say why",
        ),
    ] {
        for provider in Provider::ALL {
            let body = body.clone();
            let server = Server::start(provider, move || json(status, body.clone())).await;
            let request = cases::structured();
            let error = server.client.complete(&request).await.unwrap_err();
            let path = server.last().uri.path().to_owned();
            let address = format!("http://{}{path}", server.address);
            let text = format!("{said} (status {status} at {address})");
            assert_eq!(error.to_string(), text);
            assert_eq!(error.status(), Some(status));
        }
    }
}

#[tokio::test]
async fn a_key_is_not_shown_in_an_address_or_a_text_that_is_told() {
    let body = format!("no route for {KEY}");
    let server = Server::start(Provider::OpenAi, move || json(404, body.clone())).await;
    let address = format!("http://me:{KEY}@{}/v1?key={KEY}", server.address);
    let factory = server
        .factory
        .clone()
        .with_base_url(Provider::OpenAi, address);
    let client = factory.client(&server.url).unwrap();
    let error = client.complete(&cases::structured()).await.unwrap_err();
    let at = format!("http://{}/v1/chat/completions", server.address);
    assert_eq!(
        error.to_string(),
        format!("the server said: no route for … (status 404 at {at})")
    );
}

#[tokio::test]
async fn a_redirect_is_named_with_where_it_leads() {
    for provider in Provider::ALL {
        for (status, target, body) in [
            (301, "/v2/x?token=secret", ""),
            (302, "https://elsewhere.example/v1", r#"{"error":"moved"}"#),
            (307, "https://elsewhere.example/v1", ""),
        ] {
            let server = Server::start(provider, move || {
                let mut answer = json(status, body);
                let headers = answer.headers_mut();
                headers.insert("location", target.parse().unwrap());
                answer
            })
            .await;
            let request = cases::structured();
            let error = server.client.complete(&request).await.unwrap_err();
            let path = server.last().uri.path().to_owned();
            let from = format!("http://{}", server.address);
            let to = match status {
                301 => format!("{from}/v2/x"),
                _ => target.to_owned(),
            };
            let text = format!("the server redirects to {to}, and redirects are not followed");
            let text = format!("{text} (status {status} at {from}{path})");
            assert_eq!(error.to_string(), text);
            assert!(!error.is_retryable());
        }
    }
}

#[tokio::test]
async fn an_answer_of_another_kind_of_server_is_told_with_its_address() {
    for provider in Provider::ALL {
        for body in ["<html>Welcome</html>", "", r#"{"hello":"world"}"#] {
            let server = Server::start(provider, move || json(200, body)).await;
            let request = cases::structured();
            let whole = server.client.complete(&request).await.unwrap_err();
            let path = server.last().uri.path().to_owned();
            let at = format!(" (status 200 at http://{}{path})", server.address);
            assert!(whole.to_string().ends_with(&at), "{whole}");
            let streamed = server.client.stream(&request, &|_| {}).await.unwrap_err();
            let path = server.last().uri.path().to_owned();
            let at = format!(" (status 200 at http://{}{path})", server.address);
            assert!(streamed.to_string().ends_with(&at), "{streamed}");
        }
    }
}

#[tokio::test]
async fn a_key_that_comes_back_in_an_error_is_not_shown() {
    for provider in Provider::ALL {
        let text = format!("what is {KEY}?");
        let error = error(provider, move || json(400, body(provider, &text))).await;
        let at = error.address().unwrap();
        let text = format!("what is …? (status 400 at {at})");
        assert_eq!(error.to_string(), text);
        assert!(!format!("{error:?}").contains(KEY));
    }
}

/// A server that knows neither path nor model says so in its own words, also under a success.
#[tokio::test]
async fn a_text_where_a_provider_has_an_object_is_no_error_to_try_again() {
    let body = r#"{"error":"Unexpected endpoint or method."}"#;
    let said = "the server said: Unexpected endpoint or method.";
    for provider in Provider::ALL {
        if provider == Provider::Ollama {
            continue;
        }
        for status in [200, 404] {
            let error = error(provider, move || json(status, body)).await;
            assert_eq!(error.kind(), ModelErrorKind::InvalidRequest, "{provider:?}");
            assert!(!error.is_retryable());
            let at = error.address().unwrap();
            let text = format!("{said} (status {status} at {at})");
            assert_eq!(error.to_string(), text);
        }
        let streamed = stream_error(provider, format!("data: {body}\n\n")).await;
        assert_eq!(streamed.kind(), ModelErrorKind::InvalidRequest);
        assert!(streamed.to_string().starts_with(said), "{streamed}");
    }
}

#[tokio::test]
async fn an_answer_that_fails_halfway_is_asked_for_again_whatever_the_form_of_the_error() {
    let events = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n\
                  data: {\"error\":\"the worker died\"}\n\n";
    let error = stream_error(Provider::OpenAi, events.to_owned()).await;
    assert_eq!(error.kind(), ModelErrorKind::Upstream);
    assert!(error.is_retryable());
    assert!(error.to_string().starts_with("the worker died"), "{error}");
}

#[tokio::test]
async fn every_error_shows_the_path_of_an_address_and_neither_its_user_nor_its_query() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let closed = listener.local_addr().unwrap().to_string();
    drop(listener);
    let answers = [(404, "no"), (200, "<html>"), (200, "{}"), (401, "no")];
    let mut servers = vec![closed];
    for (status, body) in answers {
        let server = Server::start(Provider::OpenAi, move || json(status, body)).await;
        servers.push(server.address);
    }
    for address in servers {
        let base = format!("http://user:pass-1234@{address}/team-7/v1?api-key=query-1234");
        let client = client(Remote::openai_compatible(base));
        let error = client.complete(&cases::structured()).await.unwrap_err();
        let at = format!("http://{address}/team-7/v1/chat/completions");
        assert_eq!(error.address(), Some(&*at));
        let text = format!("{error} {error:?}");
        assert!(text.contains(&at), "{text}");
        for secret in ["user", "1234"] {
            assert!(!text.contains(secret), "{text}");
        }
    }
}
