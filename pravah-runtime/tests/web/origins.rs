//! Web pages of other origins.

use super::{ALLOWED, plain, served, server};

#[tokio::test]
async fn an_origin_that_is_named_and_its_host_are_let_in() {
    let server = server().with_origin("https://desk.example.com").unwrap();
    let address = served(&server).await;
    for headers in [
        [
            "Host: desk.example.com",
            ALLOWED[1],
            "Origin: https://desk.example.com",
        ],
        [
            "Host: localhost",
            ALLOWED[1],
            "Origin: https://desk.example.com",
        ],
        ["Host: desk.example.com", ALLOWED[1], "X: y"],
    ] {
        let answer = plain(address, "GET /runs", &headers, "").await;
        assert_eq!(answer.status, 200, "{headers:?}");
    }
    let named = [
        "Host: desk.example.com:443",
        ALLOWED[1],
        "Origin: https://desk.example.com",
    ];
    assert_eq!(plain(address, "GET /runs", &named, "").await.status, 200);
    // The same host without encryption is another origin, as is this machine with it.
    for headers in [
        [
            "Host: desk.example.com",
            ALLOWED[1],
            "Origin: http://desk.example.com",
        ],
        [
            "Host: desk.example.com:80",
            ALLOWED[1],
            "Origin: https://desk.example.com",
        ],
        ["Host: localhost", ALLOWED[1], "Origin: https://localhost"],
        [
            "Host: desk.example.com",
            ALLOWED[1],
            "Sec-Fetch-Site: same-site",
        ],
    ] {
        let answer = plain(address, "GET /runs", &headers, "").await;
        assert_eq!(answer.status, 403, "{headers:?}");
    }
    let page = [
        ALLOWED[0],
        ALLOWED[1],
        "Origin: https://desk.example.com",
        "Sec-Fetch-Site: cross-site",
    ];
    assert_eq!(plain(address, "GET /runs", &page, "").await.status, 200);
    let other = ["Host: example.com", ALLOWED[1]];
    assert_eq!(plain(address, "GET /runs", &other, "").await.status, 403);
}

#[tokio::test]
async fn browsers_may_send_what_pages_of_a_named_origin_ask_for_and_no_others() {
    let address = served(&server().with_origin("https://desk.example.com").unwrap()).await;
    let preflight = |origin: &'static str| async move {
        let headers = [
            ALLOWED[0],
            origin,
            "Access-Control-Request-Method: POST",
            "Access-Control-Request-Headers: authorization",
        ];
        plain(address, "OPTIONS /runs/r/commands", &headers, "")
            .await
            .headers
    };
    let allowed = "access-control-allow-origin: https://desk.example.com";
    let named = preflight("Origin: https://desk.example.com").await;
    assert!(
        named.contains(allowed) && named.contains("authorization"),
        "{named}"
    );
    let other = preflight("Origin: https://evil.example").await;
    assert!(!other.contains("access-control-allow-origin"), "{other}");
    let headers = [ALLOWED[0], ALLOWED[1], "Origin: https://desk.example.com"];
    let answer = plain(address, "GET /runs", &headers, "").await;
    assert!(answer.status == 200 && answer.headers.contains(allowed));
}

#[tokio::test]
async fn an_origin_is_what_browsers_send_however_it_is_written() {
    for (named, sent) in [
        ("HTTPS://Desk.Example.com", "https://desk.example.com"),
        ("https://desk.example.com:443", "https://desk.example.com"),
        (
            "http://desk.example.com:8080",
            "http://desk.example.com:8080",
        ),
        ("http://[::1]:80", "http://[::1]"),
    ] {
        let address = served(&server().with_origin(named).unwrap()).await;
        let origin = format!("Origin: {sent}");
        let headers = [ALLOWED[0], ALLOWED[1], &*origin];
        let answer = plain(address, "GET /runs", &headers, "").await;
        assert_eq!(answer.status, 200, "{named}");
        let allowed = format!("access-control-allow-origin: {sent}");
        assert!(answer.headers.contains(&allowed), "{named}");
    }
}

#[test]
fn what_is_not_an_origin_is_an_error_where_it_is_named() {
    for wrong in [
        "",
        "*",
        "null",
        "desk.example.com",
        "ftp://desk.example.com",
        "https://desk.example.com/",
        "https://desk.example.com/desk",
        "https://desk.example.com?desk",
        "https://me@desk.example.com",
        "https://",
    ] {
        let error = server().with_origin(wrong).unwrap_err();
        let expected =
            format!("`{wrong}` is not an origin: write `https://HOST` or `https://HOST:PORT`");
        assert_eq!(error.to_string(), expected);
    }
}
