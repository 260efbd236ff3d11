//! The web service, killed in the middle of its work.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::{
    collections::BTreeSet,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

const RUNS: u32 = 50;

/// The program, which is ended with the test.
struct Service {
    program: Child,
    address: String,
}

impl Service {
    fn start(folder: &Path) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_service"))
            .args(["--port", "0", "--pace", "100", "--store"])
            .arg(folder.join("runs.db"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let address = first.strip_prefix("listening on http://").unwrap();
        Self {
            program,
            address: address.to_owned(),
        }
    }

    /// What it answers: the status, and the body.
    fn ask(&self, first: &str, body: &str) -> (u16, String) {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        let (address, length) = (&self.address, body.len());
        let head = format!("{first} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
        let head = format!("{head}Content-Type: application/json\r\nContent-Length: {length}");
        write!(socket, "{head}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, body.to_owned())
    }

    fn get(&self, path: &str) -> Value {
        let (status, body) = self.ask(&format!("GET {path}"), "");
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    fn start_run(&self, number: u32) {
        let claim = json!({ "euros": euros(number), "reason": "it broke" });
        let start = json!({ "id": format!("claim-{number}"), "claim": claim });
        assert_eq!(self.ask("POST /runs", &start.to_string()).0, 202);
    }

    fn ids(&self, status: &str) -> Vec<String> {
        let list = self.get(&format!("/runs?status={status}"));
        let runs = list["runs"].as_array().unwrap().iter();
        runs.map(|run| run["id"].as_str().unwrap().to_owned())
            .collect()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // SIGKILL, where there are signals.
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// Each fifth claim is for a person.
fn euros(number: u32) -> u32 {
    if number.is_multiple_of(5) {
        100 + number
    } else {
        number
    }
}

/// Waits until something is so, for a minute at most.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn every_run_ends_once_though_the_service_is_killed_in_the_middle() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path());
    (0..RUNS).for_each(|number| service.start_run(number));
    until("some runs end", || service.ids("done").len() >= 5);
    drop(service);

    let service = Service::start(folder.path());
    assert!(service.ids("done").len() < RUNS as usize);
    // Whoever does not know whether a run was started starts it again.
    (0..RUNS).for_each(|number| service.start_run(number));
    let mut answered = BTreeSet::new();
    until("all runs end", || {
        for id in service.ids("suspended") {
            if answered.insert(id.clone()) {
                let answer = format!("POST /runs/{id}/answers/approve");
                assert_eq!(service.ask(&answer, "true").0, 202);
            }
        }
        service.ids("done").len() == RUNS as usize
    });
    assert_eq!(answered.len(), RUNS as usize / 5);

    for number in 0..RUNS {
        let id = format!("claim-{number}");
        let run = service.get(&format!("/runs/{id}"));
        assert_eq!(run["output"]["euros"], euros(number), "{run}");
        let payment = run["output"]["payment"].as_str().unwrap();
        assert!(
            payment.starts_with(&format!("payment {id}/pay")),
            "{payment}"
        );
        check_events(&service, &id, run["step"].as_u64().unwrap());
    }
}

/// Each step was committed once, and the last of them ended the run.
fn check_events(service: &Service, id: &str, last: u64) {
    let (status, events) = service.ask(&format!("GET /runs/{id}/events"), "");
    assert_eq!(status, 200);
    let steps = events.lines().filter_map(|line| line.strip_prefix("id: "));
    let steps: Vec<u64> = steps.map(|step| step.parse().unwrap()).collect();
    assert_eq!(steps, (0..=last).collect::<Vec<_>>());
    assert_eq!(events.matches(r#""status":"done""#).count(), 1, "{events}");
}

#[test]
fn requests_that_cannot_be_met_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path());
    let (status, body) = service.ask("GET /runs/other", "");
    assert_eq!(status, 404);
    assert_eq!(body, r#"{"error":"there is no run `other`"}"#);
    assert_eq!(service.ask("GET /runs/other/events", "").0, 404);
    assert_eq!(service.ask("GET /runs?after=nowhere", "").0, 400);
    assert_eq!(service.ask("GET /runs?status=perhaps", "").0, 400);
    service.start_run(1);
    until("the run ends", || service.ids("done").len() == 1);
    let answer = service.ask("POST /runs/claim-1/answers/approve", "true");
    assert_eq!(answer.0, 409, "{}", answer.1);
}

#[cfg(unix)]
#[test]
fn a_service_that_is_told_to_end_does_though_somebody_follows_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path());
    service.start_run(0);
    until("the run asks", || service.ids("suspended").len() == 1);
    let mut follower = TcpStream::connect(&service.address).unwrap();
    let request = "GET /runs/claim-0/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    follower.write_all(request.as_bytes()).unwrap();
    // The head of the answer comes before the events have been read from the store.
    let mut lines = BufReader::new(follower).lines();
    assert!(lines.any(|line| line.unwrap().contains(r#""status":"suspended""#)));

    let process = service.program.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &process]).status();
    assert!(killed.unwrap().success());
    until("it ends", || service.program.try_wait().unwrap().is_some());
    assert!(service.program.wait().unwrap().success());
    // What follows is the rest of an answer that was ended, not cut off.
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(rest.ends_with(&["0".to_owned(), String::new()]), "{rest:?}");
}
