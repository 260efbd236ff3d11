//! The lessons about documents, each with what it is to return.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that fails is a test that fails"
)]

use std::{fs, path::Path, process::Command};

use pravah_runtime::{
    Context, EventKind, FlowEvent, FlowRuntime, FlowSnapshot, Hub, RunOut, ScriptedModel,
    document::{DocumentFlow, DocumentOutput, NodeRegistry, NodeType},
    testing::CrashTest,
};
use serde_json::{Value, json};

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/documents"))
}

/// The documents that return the same whenever they run.
fn lessons() -> Vec<String> {
    let entries = fs::read_dir(folder()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names
        .filter_map(|name| name.strip_suffix(".expected.json").map(str::to_owned))
        .collect();
    names.sort();
    names
}

/// What the lessons need: the packs of Pravah, and the type that lesson 07 has from its host.
fn registry() -> NodeRegistry {
    let text = json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] });
    let stamp = NodeType::new("text.stamp", "text", "Says when a text was processed.").input(text);
    NodeRegistry::standard()
        .with_packs(["core", "tutorial", "claude"])
        .with_fn(stamp, async |input: Value, _ctx| {
            let text = input["text"].as_str().unwrap_or_default();
            Ok(json!({ "text": format!("{text} (processed at 12:00)") }))
        })
}

fn load(lesson: &str) -> DocumentFlow {
    DocumentFlow::load(folder().join(format!("{lesson}.yaml")), &registry()).unwrap()
}

fn expected(lesson: &str) -> Value {
    let text = fs::read_to_string(folder().join(format!("{lesson}.expected.json")));
    serde_json::from_str(&text.unwrap()).unwrap()
}

fn context(lesson: &str) -> Context {
    match lesson {
        "06-prompt-file" => {
            let model = ScriptedModel::new().reply("answer", json!("Porto-Novo"));
            Context::default().with_dep(model)
        }
        _ => Context::default(),
    }
}

/// An event as the expectations write it.
fn shown(event: &FlowEvent) -> Option<Value> {
    let name = event.kind.name();
    match (&event.kind, &event.node) {
        (EventKind::Step(_), _) => None,
        (_, Some(node)) => Some(format!("{name} {node}").into()),
        (_, None) => Some(name.into()),
    }
}

#[tokio::test]
async fn every_lesson_returns_what_it_is_to() {
    let lessons = lessons();
    assert_eq!(lessons.len(), 9, "{lessons:?}");
    for lesson in lessons {
        let expected = expected(&lesson);
        let session = load(&lesson).session(json!({})).unwrap();
        let session = session.with_id("lesson").collect_events(1_000);
        let result = session.run(context(&lesson)).await.unwrap();
        let mut actual = result.to_json();
        actual.as_object_mut().unwrap().remove("durationMs");
        if expected.get("events").is_some() {
            actual["events"] = result.events.iter().filter_map(shown).collect();
        }
        assert_eq!(actual, expected, "{lesson}: {actual:#}");
    }
}

/// What another process would find of a run, if this one died now.
fn stored(run: &FlowRuntime<DocumentFlow>) -> String {
    serde_json::to_string(&run.snapshot()).unwrap()
}

fn restored(flow: &DocumentFlow, stored: &str) -> FlowRuntime<DocumentFlow> {
    let snapshot: FlowSnapshot = serde_json::from_str(stored).unwrap();
    flow.restore(snapshot).unwrap()
}

#[tokio::test]
async fn a_crash_between_any_two_steps_changes_no_lesson() {
    for lesson in lessons() {
        let flow = load(&lesson);
        let outputs = &expected(&lesson)["outputs"];
        let mut run = flow.start(json!({})).unwrap().with_run_id("lesson");
        let mut crashes = vec![stored(&run)];
        while !matches!(run.next(context(&lesson)).await.unwrap(), RunOut::Done(_)) {
            crashes.push(stored(&run));
            run.wait().await;
        }
        for (step, crash) in crashes.iter().enumerate() {
            for concurrency in [1, 8] {
                let run = restored(&flow, crash).with_concurrency(concurrency);
                let result = flow.session_of(run).run(context(&lesson)).await.unwrap();
                assert_eq!(
                    &Value::Object(result.outputs),
                    outputs,
                    "{lesson}, step {step}"
                );
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_lesson_returns_the_same_wherever_its_run_is_broken_off() {
    // Lesson 05 has a time limit, which never passes: the clock of a crash test stands still while a node runs.
    for lesson in lessons().into_iter().filter(|it| it != "05-health") {
        for concurrency in [1, 8] {
            let name = lesson.clone();
            let test = CrashTest::of_document(load(&lesson), || json!({}))
                .with_context(move |_| context(&name))
                .with_setup(move |run| run.with_concurrency(concurrency));
            let report = test.check().await.unwrap();
            // Loops return the id of their run.
            let outputs = expected(&lesson)["outputs"].to_string();
            let outputs: Value = outputs.replace("lesson/", "crash-test/").parse().unwrap();
            assert_eq!(report.output["outputs"], outputs, "{lesson}");
        }
    }
}

/// Runs a lesson whose agents take messages. The process dies after every step; `says` sends them what comes next.
async fn converse(
    lesson: &str,
    ctx: &Context,
    mut says: impl FnMut(&Hub, &str, &str),
) -> DocumentOutput {
    let flow = load(lesson);
    let mut run = flow.start(json!({})).unwrap().with_run_id("lesson");
    loop {
        run = restored(&flow, &stored(&run));
        let hub = run.hub();
        for agent in run.listening_agents() {
            says(&hub, &agent.node, &agent.agent_run);
        }
        if let RunOut::Done(done) = run.next(ctx.clone()).await.unwrap() {
            return done;
        }
    }
}

#[tokio::test]
async fn a_crash_between_any_two_steps_loses_no_turn_of_a_conversation() {
    let model = ScriptedModel::new()
        .reply("doctor", json!("Is it plugged in?"))
        .reply("doctor", json!("Does the bulb look burnt?"))
        .reply("doctor", json!("The bulb is broken."));
    let mut answers = ["yes", "it does"].into_iter();
    let ctx = Context::default().with_dep(model);
    let done = converse("09-messages", &ctx, |hub, node, _| {
        drop(answers.next().map(|answer| hub.send_to(node, answer)));
    });
    let doctor = &done.await.outputs["doctor"];
    assert_eq!(doctor, &json!({ "result": "The bulb is broken." }));
    assert_eq!(answers.next(), None);

    let model = ScriptedModel::new()
        .reply("left", json!("nothing"))
        .reply("left", json!("a message"))
        .reply("right", json!("nothing"));
    let ctx = Context::default().with_dep(model);
    let done = converse("13-one-run-only", &ctx, |hub, node, agent_run| {
        drop(match node {
            "left" => hub.send_to_agent(agent_run, "psst"),
            _ => hub.close_agent(agent_run),
        });
    });
    let outputs = done.await.outputs;
    assert_eq!(outputs["left"], json!({ "result": "a message" }));
    assert_eq!(outputs["right"], json!({ "result": "nothing" }));
}

fn printed(lesson: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_documents"))
        .arg(lesson)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_lessons_in_rust_print_what_they_are_to() {
    let lessons = [
        (
            "07",
            "[PROCESSED] HELLO FROM NODE PACKS (processed at 12:00)\n",
        ),
        ("08", "4 words, the longest is workflow\n"),
        (
            "09",
            "> yes\n> it does\ndiagnosis: \"The bulb is broken.\"\n",
        ),
        ("10", "1. greet -> Greeting\nHELLO, ADA!\n"),
        ("12", "first starts\nsecond starts\n2 tasks are complete\n"),
        ("13", "left heard \"a message\"\nright heard \"nothing\"\n"),
        ("14", "n1: 1\nn2: 2\nn3: 3\nn4: 4\nn5: 5\n"),
        (
            "15",
            "greet-ada: Hello, Ada!\ngreet-grace: Hello, Grace!\ngreet-mary: Hello, Mary!\n",
        ),
    ];
    for (lesson, expected) in lessons {
        assert_eq!(printed(lesson), expected, "lesson {lesson}");
    }
}
