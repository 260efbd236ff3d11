//! What errors say: the cause, what there is instead, and no more than a reader can take.

use pravah_runtime::{FlowConf, FlowSnapshot, ModelUrlError, prelude::*};
use serde_json::{Value, json};

use crate::engine_support::{agents::Start, json, order::Order};

struct Clock;

fn start() -> FlowRuntime<Start> {
    FlowRuntime::new(Start { n: 0 }).unwrap()
}

#[test]
fn a_missing_dependency_says_which_there_are() {
    let ctx = Context::default().with_dep(Clock).with_dep(7_u8);
    let Err(error) = ctx.dep::<String>() else {
        panic!("there is none")
    };
    assert_eq!(error.known().len(), 2);
    let text = error.to_string();
    assert!(
        text.contains("String") && text.contains("Clock") && text.contains("`u8`"),
        "{text}"
    );
}

#[test]
fn a_file_error_names_the_file_and_the_cause() {
    let place = tempfile::TempDir::new().unwrap();
    let at = |working_dir| {
        Context::new(FlowConf {
            working_dir,
            ..FlowConf::default()
        })
    };
    let error = at(place.path().to_path_buf())
        .read_to_string("notes.txt")
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("`notes.txt`") && text.contains("No such file"),
        "{text}"
    );
    let error = at(place.path().join("away"))
        .read_to_string("notes.txt")
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("away`") && text.contains("No such file"),
        "{text}"
    );
}

#[tokio::test]
async fn a_state_that_cannot_be_read_says_why_in_few_words() {
    let mut run = FlowRuntime::new(Order { n: 1 }).unwrap();
    run.next(Context::default()).await.unwrap();
    let mut foreign = json(&run);
    for state in foreign["states"].as_object_mut().unwrap().values_mut() {
        *state = json!({ "n": "x".repeat(1_000_000) });
    }
    let snapshot: FlowSnapshot = serde_json::from_value(foreign).unwrap();
    let mut run = FlowRuntime::<Order>::from_snapshot(snapshot).unwrap();
    let error = run.next(Context::default()).await.unwrap_err();
    assert!(matches!(error, FlowError::State { .. }), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains("invalid type: string") && text.contains("expected u64"),
        "{text}"
    );
    assert!(text.len() < 1_000, "{}", text.len());
}

#[test]
fn a_load_error_is_short_however_large_what_is_wrong() {
    let run = FlowRuntime::new(Order { n: 1 }).unwrap();
    let large = "x".repeat(1_000_000);
    let wrong: [(&str, Value); 6] = [
        ("/flow", json!(large)),
        ("/fingerprint", json!(large)),
        ("/ready", json!([large])),
        ("/states", json!({ large.clone(): {} })),
        ("/steps", json!(large)),
        (
            "/suspensions",
            json!([{ "id": large, "node": large, "value": null }]),
        ),
    ];
    for (place, value) in wrong {
        let mut foreign = json(&run);
        match foreign.pointer_mut(place) {
            Some(known) => *known = value,
            None => foreign[place.trim_start_matches('/')] = value,
        }
        let text = serde_json::to_string(&foreign).unwrap();
        let error = match serde_json::from_str::<FlowSnapshot>(&text) {
            Ok(snapshot) => FlowRuntime::<Order>::from_snapshot(snapshot)
                .map(|run| run.last_step())
                .unwrap_err()
                .to_string(),
            Err(error) => {
                assert!(error.column() > 0, "{error}");
                error.to_string()
            }
        };
        assert!(error.len() < 1_000, "{place}: {} bytes", error.len());
    }
}

#[test]
fn an_unknown_agent_is_answered_with_those_there_are() {
    let Err(error) = start().with_model("triage_it", "openai://m") else {
        panic!("there is no such agent")
    };
    let FlowError::NotFound(text) = &error else {
        panic!("{error:?}")
    };
    assert!(!text.known().is_empty());
    assert!(
        text.known()
            .iter()
            .all(|known| error.to_string().contains(&**known)),
        "{error}"
    );
}

#[derive(Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Whole {}

#[derive(Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct End2 {}

impl Flow for Whole {
    type Output = End2;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .work::<Whole, End2, _, _>(
                |_, ctx| async move { ctx.input::<Order>().map(|_| End2 {}) },
            )
            .build()
    }
}

#[tokio::test]
async fn an_unknown_input_is_answered_with_those_there_are() {
    let mut run = FlowRuntime::new(Whole {}).unwrap();
    let error = run.next(Context::default()).await.unwrap_err();
    assert!(error.to_string().contains("`Whole`"), "{error}");
}

#[test]
fn a_url_that_is_none_stays_behind_the_error() {
    let Err(error) = start().with_model("One", "openai//m") else {
        panic!("it is no URL")
    };
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref());
    assert!(
        matches!(cause, Some(ModelUrlError::NoScheme { .. })),
        "{error:?}"
    );
}
