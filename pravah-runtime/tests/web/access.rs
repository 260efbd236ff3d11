//! Who is let in.

use pravah_runtime::{Channels, WebServer, prelude::*};

use super::{ALLOWED, connect, plain, run_called, served, server, until_asked};
use tokio::io::AsyncReadExt as _;

const COMMAND: &str = "{\"type\":\"reply\",\"id\":\"approve\",\"answer\":1}";

#[tokio::test]
async fn without_the_token_nobody_learns_anything() {
    let server = server();
    let address = served(&server).await;
    let host = "Host: localhost";
    let paths = [
        "/runs",
        "/runs/r",
        "/runs/r/events",
        "/runs/r/socket",
        "/",
        "/nothing",
    ];
    let wrong = [
        "Authorization: Bearer",
        "Authorization: Bearer ",
        "Authorization: Bearer t0ken",
        "Authorization: Bearer t0ken&%x",
        "Authorization: Basic t0ken&%",
        "Authorization: t0ken&%",
        "Cookie: token=t0ken&%",
    ];
    for path in paths {
        for header in wrong {
            let answer = plain(address, &format!("GET {path}"), &[host, header], "").await;
            assert_eq!(answer.status, 401, "{path} {header}");
            assert!(answer.headers.contains("www-authenticate: bearer"));
            assert!(!answer.body.contains("t0ken"));
        }
    }
    for query in [
        "",
        "?token=",
        "?token=t0ken",
        "?token=t0ken&%",
        "?Token=t0ken%26%25",
    ] {
        let answer = plain(address, &format!("GET /runs{query}"), &[host], "").await;
        assert_eq!(answer.status, 401, "{query}");
    }
    // A wrong one in a header is not made good by another.
    let headers = [host, "Authorization: Bearer x"];
    let answer = plain(address, "GET /runs?token=t0ken%26%25", &headers, "").await;
    assert_eq!(answer.status, 401);
}

#[tokio::test]
async fn the_token_is_taken_from_the_header_and_of_a_get_from_the_address() {
    let address = served(&server()).await;
    let host = "Host: localhost";
    assert_eq!(plain(address, "GET /runs", &ALLOWED, "").await.status, 200);
    let lower = [host, "authorization: bearer  t0ken&%"];
    assert_eq!(plain(address, "GET /runs", &lower, "").await.status, 200);
    let queried = plain(address, "GET /runs?a=b&token=t0ken%26%25", &[host], "").await;
    assert_eq!(queried.status, 200);
    assert!(queried.headers.contains("referrer-policy: no-referrer"));
    assert!(queried.headers.contains("cache-control: no-store"));
    let path = "POST /runs/r/commands?token=t0ken%26%25";
    assert_eq!(plain(address, path, &[host], COMMAND).await.status, 401);
}

#[tokio::test]
async fn an_empty_token_lets_nobody_in() {
    let address = served(&WebServer::new().with_token("")).await;
    for header in ["Authorization: Bearer ", "X: y"] {
        let answer = plain(
            address,
            "GET /runs?token=",
            &["Host: localhost", header],
            "",
        )
        .await;
        assert_eq!(answer.status, 401);
    }
}

#[tokio::test]
async fn tokens_are_random_and_not_in_the_debug_output() {
    let (one, other) = (WebServer::new(), WebServer::new());
    assert_eq!(one.token().len(), 64);
    assert_ne!(one.token(), other.token());
    assert!(!format!("{one:?}").contains(one.token()));
}

#[tokio::test]
async fn a_web_page_of_another_origin_answers_no_gate_whatever_it_knows() {
    let server = server();
    let address = served(&server).await;
    let mut run = run_called("r");
    let hub = run.hub();
    let channels = Channels::new().with_required(server.channel());
    let pages = async {
        until_asked(address, "r").await;
        let own_host = format!("Host: {address}");
        for origin in [
            "Origin: https://evil.example",
            "Origin: http://localhost.evil.example",
            "Origin: null",
            "Origin: http://localhost:1",
            "Origin: ",
            "Origin: https://localhost",
            "Sec-Fetch-Site: cross-site",
            "Sec-Fetch-Site: same-site",
        ] {
            let headers = [&*own_host, ALLOWED[1], origin];
            let path = "POST /runs/r/commands";
            let answer = plain(address, path, &headers, COMMAND).await;
            assert_eq!(answer.status, 403, "{origin}");
            let upgrade = [
                &*own_host,
                ALLOWED[1],
                origin,
                "Connection: upgrade",
                "Upgrade: websocket",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ];
            let mut socket = connect(address, "GET /runs/r/socket", &upgrade, "").await;
            let mut start = [0; 12];
            socket.read_exact(&mut start).await.unwrap();
            assert_eq!(&start, b"HTTP/1.1 403");
        }
        // Neither does one that asks by a name of its own that leads here.
        for (host, status) in [
            ("Host: evil.example", 403),
            ("Host: localhost.evil.example", 403),
            ("Host: 10.0.0.1", 403),
            ("Host: [localhost]", 403),
            ("Host: [127.0.0.1]", 403),
            ("Host: [::1].evil.com", 403),
            ("Host: evil.com@127.0.0.1", 403),
            ("Host: localhost:abc", 403),
            ("Host: localhost:", 403),
            ("Host: localhost:+80", 403),
            ("Host: localhost:65536", 403),
            ("Host: localhóst", 403),
            ("Host: localhost\r\nHost: evil.example", 403),
            ("X: y", 403),
        ] {
            let answer = plain(
                address,
                "POST /runs/r/commands",
                &[host, ALLOWED[1]],
                COMMAND,
            )
            .await;
            assert_eq!(answer.status, status, "{host}");
        }
        for host in ["Host: [::1]:80", "Host: 127.0.0.2", "Host: LocalHost"] {
            let same = "Sec-Fetch-Site: same-origin";
            let answer = plain(address, "GET /runs", &[host, ALLOWED[1], same], "").await;
            assert_eq!(answer.status, 200, "{host}");
        }
        assert_eq!(hub.suspensions().len(), 1);
        // Its own page may.
        let own = format!("Origin: http://{address}");
        let headers = [&*own_host, ALLOWED[1], &*own];
        let answer = plain(address, "POST /runs/r/commands", &headers, COMMAND).await;
        assert_eq!(answer.status, 200);
    };
    let (out, ()) = tokio::join!(run.serve_with(Context::default(), channels), pages);
    assert!(matches!(out.unwrap(), RunOut::Done(_)));
}

#[tokio::test]
async fn no_address_is_taken_that_other_machines_reach_unless_they_may() {
    let any = "0.0.0.0:0".parse().unwrap();
    let error = server().bind(any).await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    assert!(error.to_string().contains("with_remote_access"));
    // Bound, and not served.
    drop(server().with_remote_access().bind(any).await.unwrap());
}
