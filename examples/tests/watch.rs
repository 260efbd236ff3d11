//! A run on a web page. What a browser makes of it is checked by `conformance/run`.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// The program, which is ended with the test.
struct Watch(Child);

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn ask(address: &str, first: &str, headers: &str, body: &str) -> String {
    let mut socket = TcpStream::connect(address).unwrap();
    let length = body.len();
    let head = format!("{first} HTTP/1.1\r\nHost: {address}\r\n{headers}Connection: close\r\n");
    let request = format!("{head}Content-Length: {length}\r\n\r\n{body}");
    socket.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_page_has_the_flow_and_an_answer_over_http_settles_the_claim() {
    let program = Command::new(env!("CARGO_BIN_EXE_watch"))
        .args(["--pace", "0"])
        .stdout(Stdio::piped())
        .spawn();
    let mut watch = Watch(program.unwrap());
    let mut lines = BufReader::new(watch.0.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    let (address, token) = first
        .strip_prefix("open http://")
        .unwrap()
        .split_once("/#")
        .unwrap();

    let page = ask(address, "GET /", "", "");
    assert!(page.starts_with("HTTP/1.1 200 OK"));
    assert!(page.contains("[\"start\",\"track\"]") && page.contains("[\"decide\",\"done\"]"));
    assert!(!page.contains(token));
    assert!(ask(address, "GET /runs", "", "").starts_with("HTTP/1.1 401"));

    let header = format!("Authorization: Bearer {token}\r\n");
    let is_asked = || ask(address, "GET /runs/claim-7", &header, "").contains("\"decide\"");
    let since = Instant::now();
    while !is_asked() {
        assert!(
            since.elapsed() < Duration::from_secs(30),
            "nothing is asked"
        );
    }
    let answer = "{\"pay\":true,\"euros\":12,\"method\":\"Voucher\"}";
    let command = format!("{{\"type\":\"reply\",\"id\":\"decide\",\"answer\":{answer}}}");
    let taken = ask(address, "POST /runs/claim-7/commands", &header, &command);
    assert!(taken.starts_with("HTTP/1.1 200 OK"), "{taken}");
    let settled = lines.next().unwrap().unwrap();
    assert_eq!(settled, "settled: 12 euros as a voucher");
    assert!(watch.0.wait().unwrap().success());
}
