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
    Context, EventKind, FlowEvent, ScriptedModel,
    document::{DocumentFlow, NodeRegistry},
};
use serde_json::{Value, json};

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/documents"))
}

/// The documents that need no type of a host's.
fn lessons() -> Vec<String> {
    let entries = fs::read_dir(folder()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names
        .filter_map(|name| name.strip_suffix(".yaml").map(str::to_owned))
        .filter(|name| name != "07-packs")
        .collect();
    names.sort();
    names
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
    let registry = NodeRegistry::standard().with_packs(["core", "tutorial", "claude"]);
    let lessons = lessons();
    assert_eq!(lessons.len(), 8, "{lessons:?}");
    for lesson in lessons {
        let expected = fs::read_to_string(folder().join(format!("{lesson}.expected.json")));
        let expected: Value = serde_json::from_str(&expected.unwrap()).unwrap();
        let flow = DocumentFlow::load(folder().join(format!("{lesson}.yaml")), &registry).unwrap();
        let model = ScriptedModel::new().reply("answer", json!("Porto-Novo"));
        let ctx = match &*lesson {
            "06-prompt-file" => Context::default().with_dep(model),
            _ => Context::default(),
        };
        let session = flow
            .session(json!({}))
            .unwrap()
            .with_id("lesson")
            .collect_events(1_000);
        let result = session.run(ctx).await.unwrap();
        let mut actual = result.to_json();
        actual.as_object_mut().unwrap().remove("durationMs");
        if expected.get("events").is_some() {
            actual["events"] = result.events.iter().filter_map(shown).collect();
        }
        assert_eq!(actual, expected, "{lesson}: {actual:#}");
    }
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
