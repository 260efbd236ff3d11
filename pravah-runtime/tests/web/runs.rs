//! Runs that are shown, and commands to them.

use pravah_runtime::{Channels, FlowEvent, prelude::*};
use serde_json::json;
use tokio::io::AsyncReadExt as _;

use super::{
    ALLOWED, Page, connect, get, post, run_called, served, server, shown_as, until_asked, within,
};

#[tokio::test]
async fn a_run_is_shown_with_its_question_until_it_has_ended_and_answered_over_http() {
    let server = server();
    let address = served(&server).await;
    let mut run = run_called("r/1 é");
    let channels = Channels::new().with_required(server.channel());
    let path = "/runs/r%2F1%20%C3%A9";
    let page = async {
        let shown = until_asked(address, &path[6..]).await;
        assert_eq!(shown["run"], "r/1 é");
        assert_eq!(
            shown["status"],
            json!({ "type": "suspended", "open": ["approve"] })
        );
        let asking = json!({ "approve": "asking" });
        shown_as(address, &path[6..], |it| it["nodes"] == asking).await;
        let question = &shown["questions"][0];
        assert_eq!(question["id"], "approve");
        assert_eq!(question["asks"]["prompt"], "How many more?");
        assert_eq!(question["asks"]["state"], json!({ "n": 1 }));
        assert_eq!(question["asks"]["schema"]["type"], "integer");
        assert_eq!(
            get(address, "/runs").await.json(),
            json!({ "runs": ["r/1 é"] })
        );

        let commands = format!("{path}/commands");
        let cases = [
            (400, ""),
            (400, "{"),
            (400, "{\"type\":\"jump\"}"),
            (400, "{\"type\":\"pause\",\"x\":1}"),
            (400, "{\"type\":\"unpause\",\"x\":1}"),
            (400, "{\"type\":\"reply\",\"id\":\"approve\"}"),
            (409, "{\"type\":\"reply\",\"id\":\"other\",\"answer\":1}"),
            (
                422,
                "{\"type\":\"reply\",\"id\":\"approve\",\"answer\":\"many\"}",
            ),
            (
                404,
                "{\"type\":\"message\",\"agent\":\"nobody\",\"text\":\"Hello.\"}",
            ),
        ];
        for (status, command) in cases {
            let answer = post(address, &commands, command).await;
            assert_eq!(answer.status, status, "{command} {}", answer.body);
            assert!(answer.json()["error"].is_string());
        }
        for (status, depth) in [(422, 100), (400, 1_000)] {
            let deep = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
            let deep = format!("{{\"type\":\"reply\",\"id\":\"approve\",\"answer\":{deep}}}");
            let answer = post(address, &commands, &deep).await;
            assert_eq!(answer.status, status, "{depth}");
        }

        let answer = post(
            address,
            &commands,
            "{\"type\":\"reply\",\"id\":\"approve\",\"answer\":2}",
        );
        assert_eq!(answer.await.json(), json!({ "step": 1 }));
    };
    let (out, ()) = tokio::join!(run.serve_with(Context::default(), channels), page);
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 3 }));
    assert_eq!(get(address, "/runs").await.json(), json!({ "runs": [] }));
    assert_eq!(get(address, path).await.status, 410);
    let late = "{\"type\":\"pause\"}";
    assert_eq!(
        post(address, &format!("{path}/commands"), late)
            .await
            .status,
        410
    );
}

#[tokio::test]
async fn of_two_answers_to_one_question_one_counts_and_the_other_is_refused() {
    let server = server();
    let address = served(&server).await;
    let mut run = run_called("r");
    let channels = Channels::new().with_required(server.channel());
    let pages = async {
        until_asked(address, "r").await;
        let answer = |n: u32| {
            let command = format!("{{\"type\":\"reply\",\"id\":\"approve\",\"answer\":{n}}}");
            async move { post(address, "/runs/r/commands", &command).await.status }
        };
        let (one, other) = tokio::join!(answer(1), answer(2));
        let mut both = [one, other];
        both.sort_unstable();
        assert_eq!(both[0], 200);
        // It was answered, or the run has ended since.
        assert!([409, 410].contains(&both[1]), "{both:?}");
    };
    let (out, ()) = tokio::join!(run.serve_with(Context::default(), channels), pages);
    assert!(matches!(out.unwrap(), RunOut::Done(_)));
}

#[tokio::test]
async fn events_are_sent_as_they_come_and_end_with_the_run() {
    let server = server();
    let address = served(&server).await;
    let mut run = run_called("r");
    let hub = run.hub();
    run.pause();
    let channels = Channels::new().with_required(server.channel());
    let page = async move {
        shown_as(address, "r", |_| true).await;
        let headers = [ALLOWED[0], ALLOWED[1]];
        let mut socket = connect(address, "GET /runs/r/events", &headers, "").await;
        let mut head = [0; 15];
        socket.read_exact(&mut head).await.unwrap();
        assert_eq!(&head, b"HTTP/1.1 200 OK");
        hub.unpause().await.unwrap();
        until_asked(address, "r").await;
        hub.reply("approve", 1).await.unwrap();
        drop(hub);
        let mut stream = String::new();
        let mut buffer = [0; 4096];
        while !stream.contains("event: harness:complete") {
            let read = within(socket.read(&mut buffer)).await.unwrap();
            assert_ne!(read, 0, "{stream}");
            stream.push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
        stream
    };
    let (out, stream) = tokio::join!(run.serve_with(Context::default(), channels), page);
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 2 }));
    assert!(
        stream
            .to_lowercase()
            .contains("content-type: text/event-stream")
    );
    let data = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    let events: Vec<FlowEvent> = data
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let names: Vec<&str> = events.iter().map(|event| event.kind.name()).collect();
    assert_eq!(names.first(), Some(&"session:unpause"), "{names:?}");
    assert!(names.contains(&"session:prompt") && names.contains(&"session:reply"));
    assert!(events.iter().all(|event| &*event.run_id == "r"));
}

#[tokio::test]
async fn a_run_whose_id_is_shown_already_is_not_shown_in_its_place() {
    let server = server();
    let address = served(&server).await;
    let mut first = run_called("r");
    let mut second = run_called("r");
    let hub = first.hub();
    let both = async {
        until_asked(address, "r").await;
        let channels = Channels::new().with_required(server.channel());
        let error = second
            .serve_with(Context::default(), channels)
            .await
            .unwrap_err();
        assert!(error.to_string().contains("shown already"), "{error}");
        hub.cancel("enough").await.unwrap();
    };
    let channels = Channels::new().with_required(server.channel());
    let (out, ()) = tokio::join!(first.serve_with(Context::default(), channels), both);
    assert!(matches!(out, Err(FlowError::Cancelled { .. })));
}
