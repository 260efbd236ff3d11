//! The help desk, run as its users run it, with the scripted model.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

const T1: &str = "T-1 Cannot log in (ana@example.com)
  1. triage (model)
  2. triage (tools)
  3. triage (model) -> Verdict
  4. route -> Question
  5. answer -> Resolution
";

const T2_ASKS: &str = r#"T-2 Kettle broken (ben@example.com)
  1. triage (model)
  2. triage (tools)
  3. triage (model) -> Verdict
  4. route -> Claim
  5. approve (asks)
  ? Pay this refund?
      customer: "ben@example.com"
      euros: 24
      reply: "We are sorry that the kettle leaked."
      subject: "Kettle broken"
"#;

const T2_YES: &str = "    yes (as the command line says)
  6. approve -> Approved
  7. pay -> Resolution
";

const T2_NO: &str = "  6. approve -> Refused
  7. decline -> Resolution
";

const T3: &str = "T-3 Two questions (cem@example.com)
  1. triage (model)
  2. triage (tools)
  3. triage (model) -> Verdict
  4. route -> Question
  5. answer -> Resolution
";

const REFUNDED: &str = "refunded: We are sorry that the kettle leaked. (24 euros paid back)";
const DECLINED: &str = "declined: We are sorry that the kettle leaked. We cannot pay a refund.";

/// All steps of all tickets.
const STEPS: usize = 5 + 7 + 5;

fn resolutions(t2: &str) -> String {
    format!(
        r#"resolutions
  T-1 answered: Choose "Forgot password" on the login page; the link we send is valid for one hour.
  T-2 {t2}
  T-3 answered: Delivery takes two to three working days, and you can pay by invoice within 14 days.
"#
    )
}

/// A directory of the test's own, with the file that a run is kept in.
struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_support"))
            .arg("--state")
            .arg(self.path().join("state.json"))
            .args(args)
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// The output of a run that succeeds.
    fn succeed(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    }

    /// The error of a run that fails.
    fn fail(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(!output.status.success(), "{}", text(&output.stdout));
        text(&output.stderr)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The lines that start with a step's number.
fn step_lines(output: &str) -> Vec<&str> {
    let number = |line: &str| line.trim_start().split_once(". ")?.0.parse::<u32>().ok();
    output
        .lines()
        .filter(|line| number(line).is_some())
        .collect()
}

#[test]
fn without_a_terminal_every_ticket_is_resolved_and_the_refund_refused() {
    let no = "    no (stdin is not a terminal; --yes approves)\n";
    assert_eq!(
        Desk::new().succeed(&[]),
        format!(
            "{T1}\n{T2_ASKS}{no}{T2_NO}\n{T3}\n{}",
            resolutions(DECLINED)
        )
    );
}

#[test]
fn yes_on_the_command_line_approves_the_refund() {
    assert_eq!(
        Desk::new().succeed(&["--yes"]),
        format!("{T1}\n{T2_ASKS}{T2_YES}\n{T3}\n{}", resolutions(REFUNDED))
    );
}

#[test]
fn no_on_the_command_line_refuses_the_refund() {
    let no = "    no (as the command line says)\n";
    assert_eq!(
        Desk::new().succeed(&["--no"]),
        format!(
            "{T1}\n{T2_ASKS}{no}{T2_NO}\n{T3}\n{}",
            resolutions(DECLINED)
        )
    );
}

// S1.1, S1.41: stopped after any step, the rest is done once, and the end is the same.
#[test]
fn a_run_stopped_after_any_step_goes_on_where_it_was() {
    let whole = Desk::new().succeed(&["--yes"]);
    for steps in 0..STEPS {
        let desk = Desk::new();
        let stopped = desk.run(&["--yes", "--max-steps", &steps.to_string()]);
        assert_eq!(
            text(&stopped.stderr),
            "error: stopped: `--resume` goes on\n"
        );
        let (before, after) = (text(&stopped.stdout), desk.succeed(&["--resume", "--yes"]));

        let both = [step_lines(&before), step_lines(&after)].concat();
        assert_eq!(both, step_lines(&whole), "after {steps} steps");
        assert!(
            after.ends_with(&resolutions(REFUNDED)),
            "after {steps} steps: {after}"
        );
    }
}

// S1.28
#[test]
fn a_question_is_still_open_after_a_restart() {
    let desk = Desk::new();
    desk.run(&["--max-steps", "10"]);
    let after = desk.succeed(&["--resume", "--yes"]);
    assert!(
        after.starts_with("T-2 Kettle broken (ben@example.com)\n  ? Pay this refund?\n"),
        "{after}"
    );
}

#[test]
fn a_finished_run_that_is_resumed_shows_how_it_ended() {
    let desk = Desk::new();
    desk.succeed(&["--yes"]);
    assert_eq!(desk.succeed(&["--resume"]), resolutions(REFUNDED));
}

#[test]
fn only_the_whole_file_is_left_of_a_run() {
    let desk = Desk::new();
    desk.run(&["--max-steps", "3"]);
    let names: Vec<_> = fs::read_dir(desk.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["state.json"]);
}

#[test]
fn a_line_that_is_no_ticket_is_named() {
    let desk = Desk::new();
    let good = r#"{"id": "T-1", "from": "a", "subject": "b", "body": "c"}"#;
    let file = desk.path().join("tickets.jsonl");
    fs::write(&file, format!("{good}\n\n{{\"id\": \"T-2\"}}\n")).unwrap();
    assert_eq!(
        desk.fail(&["--data", desk.path().to_str().unwrap()]),
        format!(
            "error: `{}`, line 3: missing field `from` at line 1 column 13\n",
            file.display()
        )
    );
}

#[test]
fn two_tickets_of_one_id_are_refused() {
    let desk = Desk::new();
    let good = r#"{"id": "T-1", "from": "a", "subject": "b", "body": "c"}"#;
    let file = desk.path().join("tickets.jsonl");
    fs::write(&file, format!("{good}\n{good}\n")).unwrap();
    assert_eq!(
        desk.fail(&["--data", desk.path().to_str().unwrap()]),
        format!(
            "error: `{}`, line 2: there is a ticket `T-1` already\n",
            file.display()
        )
    );
}

#[test]
fn half_a_file_cannot_be_resumed() {
    let desk = Desk::new();
    fs::write(desk.path().join("state.json"), "{").unwrap();
    assert!(
        desk.fail(&["--resume"])
            .contains("state.json` cannot be resumed: EOF while parsing")
    );
}
