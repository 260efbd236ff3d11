//! A run at a terminal.

use std::{
    io::{BufReader, Read, Write},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    time::Duration,
};

use pravah_runtime::{Channels, Console, EventKind, Events, ToolError, prelude::*};
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::{Draft, Page};

#[state]
struct Sized {
    n: u32,
}

#[gate(prompt = "How many?")]
fn size(draft: &Draft, n: u32) -> Sized {
    Sized { n: draft.n + n }
}

#[gate(prompt = "Shall it be printed?")]
fn print(sized: &Sized, yes: bool) -> Page {
    Page {
        n: if yes { sized.n } else { 0 },
    }
}

#[flow(named)]
pub(super) fn printing(draft: Draft) -> Page {
    flow! { size -> print }
}

#[agent(model = "openai://m", preamble = "Plan.", output = Page, turns(max = 5, idle = "1h"))]
fn plan(_: &Draft) -> String {
    String::new()
}

#[flow(named)]
fn planning(draft: Draft) -> Page {
    flow! { plan }
}

/// What is typed, whenever that is.
struct Keyboard(Receiver<String>);

impl Read for Keyboard {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.recv() {
            Ok(line) => line.as_bytes().read(buffer),
            Err(_) => Ok(0),
        }
    }
}

#[derive(Clone, Default)]
pub(super) struct Screen(Arc<Mutex<Vec<u8>>>);

impl Screen {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// Waits until this is on the screen.
    pub(super) async fn shows(&self, text: &str) {
        for _ in 0..2_000 {
            if self.text().contains(text) {
                return;
            }
            sleep(Duration::from_millis(1)).await;
        }
        panic!("{text} is not in {}", self.text());
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

pub(super) fn console() -> (Console, Sender<String>, Screen) {
    let (keys, typed) = channel();
    let screen = Screen::default();
    let console = Console::with_io(BufReader::new(Keyboard(typed)), screen.clone());
    (console, keys, screen)
}

pub(super) fn type_line(keys: &Sender<String>, line: &str) {
    keys.send(format!("{line}\n")).unwrap();
}

#[tokio::test]
async fn questions_are_asked_one_after_the_other_and_what_is_typed_answers_them() {
    let (console, keys, screen) = console();
    let person = async {
        screen
            .shows("? How many?\n    n: 1\n  (JSON: integer)\n")
            .await;
        type_line(&keys, "many");
        screen.shows("try again").await;
        type_line(&keys, " 2 ");
        screen
            .shows("? Shall it be printed?\n    n: 3\n  (yes or no)\n")
            .await;
        type_line(&keys, "Yes");
    };
    let mut run = printing::start(Draft { n: 1 }).unwrap();
    let channels = Channels::new().with(console);
    let (out, ()) = tokio::join!(run.serve_with(Context::default(), channels), person);
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 3 }));
    let text = screen.text();
    assert!(text.starts_with("printing started\n"), "{text}");
    assert!(text.ends_with("done\n"), "{text}");
    assert!(text.contains("print -> Page"), "{text}");
}

#[tokio::test]
async fn a_question_that_somebody_else_answers_is_not_asked_any_more() {
    let (console, keys, screen) = console();
    let mut run = printing::start(Draft { n: 1 }).unwrap();
    let hub = run.hub();
    let person = async move {
        screen.shows("? How many?").await;
        hub.reply("size", 4).await.unwrap();
        screen.shows("? Shall it be printed?").await;
        type_line(&keys, "no");
    };
    let channels = Channels::new().with(console);
    let (out, ()) = tokio::join!(run.serve_with(Context::default(), channels), person);
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 0 }));
}

#[tokio::test]
async fn a_question_that_was_open_when_the_run_was_restored_is_asked() {
    let mut run = printing::start(Draft { n: 1 }).unwrap();
    run.run(Context::default()).await.unwrap();
    let saved = serde_json::to_string(&run.snapshot()).unwrap();
    let snapshot = serde_json::from_str(&saved).unwrap();
    let mut run = FlowRuntime::<printing>::from_snapshot(snapshot).unwrap();
    let (console, keys, screen) = console();
    let person = async {
        screen.shows("? How many?").await;
        type_line(&keys, "1");
        screen.shows("? Shall it be printed?").await;
        type_line(&keys, "y");
    };
    let channels = Channels::new().with(console);
    let (out, ()) = tokio::join!(run.serve_with(Context::default(), channels), person);
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 2 }));
    assert_eq!(screen.text().matches("How many?").count(), 1);
}

#[tokio::test]
async fn what_is_typed_while_an_agent_listens_is_a_message_and_an_empty_line_lets_it_go_on() {
    let (console, keys, screen) = console();
    let script = ScriptedModel::new()
        .reply("plan", json!({ "n": 1 }))
        .reply("plan", json!({ "n": 2 }));
    let mut run = planning::start(Draft { n: 1 }).unwrap();
    let person = async {
        let hint = "(type a message, or an empty line to accept)";
        screen.shows(&format!("plan: {{\"n\":1}}\n  {hint}")).await;
        type_line(&keys, "Shorter.");
        screen.shows("plan: {\"n\":2}").await;
        type_line(&keys, "");
    };
    let ctx = Context::default().with_dep(script);
    let channels = Channels::new().with(console);
    let (out, ()) = tokio::join!(run.serve_with(ctx, channels), person);
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 2 }));
}

#[gate(prompt = "Send it?\n? Pay 5?\u{1b}[2J\u{9b}1A\u{202e}")]
fn send(_: &Draft, yes: bool) -> Page {
    Page { n: u32::from(yes) }
}

#[flow(named)]
fn sending(draft: Draft) -> Page {
    flow! { send }
}

#[tokio::test]
async fn what_is_asked_redraws_no_terminal_and_looks_like_no_other_question() {
    let screen = Screen::default();
    let console = Console::with_io("yes\n".as_bytes(), screen.clone());
    let mut run = sending::start(Draft { n: 7 }).unwrap();
    let channels = Channels::new().with(console);
    let out = run.serve_with(Context::default(), channels).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 1 }));
    let asked = "? Send it?\n  | ? Pay 5?\\u{1b}[2J\\u{9b}1A\\u{202e}\n    n: 7\n  (yes or no)\n";
    let text = screen.text();
    assert!(text.contains(asked), "{text}");
    assert!(!text.chars().any(|it| it != '\n' && it.is_control()));
}

#[node]
async fn garble(_: &Draft) -> Result<Page, std::io::Error> {
    Err(std::io::Error::other("torn\n? Pay 5?\u{1b}[2J"))
}

#[flow(named)]
fn garbling(draft: Draft) -> Page {
    flow! { garble }
}

#[tokio::test]
async fn what_an_error_says_redraws_no_terminal() {
    let screen = Screen::default();
    let console = Console::with_io(std::io::empty(), screen.clone());
    let mut run = garbling::start(Draft { n: 7 }).unwrap();
    let channels = Channels::new().with(console);
    let out = run.serve_with(Context::default(), channels).await;
    assert!(matches!(out, Err(FlowError::Node { .. })));
    let text = screen.text();
    assert!(text.contains("torn\n  | ? Pay 5?\\u{1b}[2J\n"), "{text}");
}

/// Pays somebody.
#[tool(approve)]
async fn pay(euros: u32) -> Result<String, ToolError> {
    Ok(format!("paid {euros}"))
}

#[agent(model = "openai://m", preamble = "Pay.", output = Page, tools = [pay])]
fn treasurer(_: &Draft) -> String {
    String::new()
}

#[flow(named)]
fn paying(draft: Draft) -> Page {
    flow! { treasurer }
}

#[tokio::test]
async fn a_tool_call_is_approved_or_rejected_in_a_word() {
    let screen = Screen::default();
    let console = Console::with_io(
        "no, too much\nno too much\nyes\n".as_bytes(),
        screen.clone(),
    );
    let script = ScriptedModel::new()
        .call("treasurer", "pay", json!({ "euros": 900 }))
        .call("treasurer", "pay", json!({ "euros": 9 }))
        .reply("treasurer", json!({ "n": 2 }));
    let mut run = paying::start(Draft { n: 1 }).unwrap();
    let ctx = Context::default().with_dep(script);
    let channels = Channels::new().with(console);
    let out = run.serve_with(ctx, channels).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 2 }));
    let text = screen.text();
    let asked = "? Call `pay` with {\"euros\":9}?\n    n: 1\n  (yes, no [reason], or JSON)\n";
    assert!(text.contains(asked), "{text}");
    assert_eq!(text.matches("try again").count(), 1, "{text}");
    let said = run.history().get("treasurer").unwrap();
    let said = format!("{:?}", said.messages());
    assert!(
        said.contains("too much") && said.contains("paid 9"),
        "{said}"
    );
    assert!(!said.contains("paid 900"));
}

/// Measures the room.
#[tool(external)]
async fn measure(wall: String) -> u32;

#[agent(model = "openai://m", preamble = "Furnish.", output = Page, tools = [measure])]
fn furnisher(_: &Draft) -> String {
    String::new()
}

#[flow(named)]
fn furnishing(draft: Draft) -> Page {
    flow! { furnisher }
}

#[tokio::test]
async fn a_call_that_is_executed_outside_is_asked_for_its_result() {
    let screen = Screen::default();
    let console = Console::with_io("long\n4\n".as_bytes(), screen.clone());
    let script = ScriptedModel::new()
        .call("furnisher", "measure", json!({ "wall": "north" }))
        .reply("furnisher", json!({ "n": 2 }));
    let mut run = furnishing::start(Draft { n: 1 }).unwrap();
    let ctx = Context::default().with_dep(script);
    let channels = Channels::new().with(console);
    let out = run.serve_with(ctx, channels).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 2 }));
    let text = screen.text();
    let asked = "? Execute `measure` with {\"wall\":\"north\"}. What is its result?\n";
    // A text is no number: it is asked again.
    assert_eq!(text.matches(asked).count(), 2, "{text}");
}

#[tokio::test]
async fn a_run_does_not_wait_for_a_console_at_which_nothing_more_can_be_typed() {
    let screen = Screen::default();
    let console = Console::with_io("2\n".as_bytes(), screen.clone());
    let mut run = printing::start(Draft { n: 1 }).unwrap();
    let channels = Channels::new().with(console);
    let out = run.serve_with(Context::default(), channels).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { tool_id, .. } if tool_id == "print"));
    assert!(screen.text().contains("? Shall it be printed?"));
}

#[tokio::test]
async fn what_is_typed_before_anybody_asks_answers_the_questions_that_come() {
    let screen = Screen::default();
    let console = Console::with_io("many\n2\nno\nyes\n".as_bytes(), screen.clone());
    let mut run = printing::start(Draft { n: 1 }).unwrap();
    let channels = Channels::new().with(console);
    let out = run.serve_with(Context::default(), channels).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 0 }));
    assert_eq!(screen.text().matches("try again").count(), 1);
}

/// Waits until this is asked next.
async fn asked(questions: &mut Events, id: &str) {
    let asked = timeout(Duration::from_secs(10), questions.next()).await;
    let asked = asked.unwrap().unwrap().kind;
    assert!(matches!(&asked, EventKind::QuestionAsked { id: asked, .. } if asked == id));
}

#[tokio::test]
async fn a_run_goes_on_where_nobody_types_and_nothing_can_be_shown() {
    struct Gone;
    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("no terminal"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut run = printing::start(Draft { n: 1 }).unwrap();
    let hub = run.hub();
    let mut questions = run.events().only(["session:prompt"]);
    let person = async move {
        asked(&mut questions, "size").await;
        hub.reply("size", 4).await.unwrap();
        asked(&mut questions, "print").await;
        hub.reply("print", true).await.unwrap();
    };
    let channels = Channels::new().with(Console::with_io(std::io::empty(), Gone));
    let (out, ()) = tokio::join!(run.serve_with(Context::default(), channels), person);
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 5 }));
}
