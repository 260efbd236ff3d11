//! Entries that are not those of a snapshot, and keys of names that look like paths.

use std::collections::BTreeMap;

use pravah_runtime::{
    Agent, AgentConfig, ClientFactory, Context, Entries, Flow, FlowError, FlowGraph, FlowRuntime,
    FlowSnapshot, RunOut, ScriptedModel, ToolBox,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    changes::{take, text},
    changes_size::{Sheaf, binding_of},
    engine_support::{agents::Ask, desk, states},
};

fn entries(of: &BTreeMap<String, Value>) -> Entries {
    serde_json::from_value(json!(of)).unwrap()
}

/// The entries of a run in which lists, gates and conversations have started.
async fn started() -> BTreeMap<String, Value> {
    let mut run = desk::start(4);
    while !matches!(
        run.next(Context::default()).await,
        Err(FlowError::ResumeRequired(_))
    ) {}
    let entries = run.snapshot().entries().unwrap();
    serde_json::from_str(&text(&entries)).unwrap()
}

fn load(of: &BTreeMap<String, Value>) -> Result<FlowRuntime<desk::Desk>, FlowError> {
    FlowRuntime::from_snapshot(FlowSnapshot::from_entries(&entries(of))?)
}

fn refusal(of: &BTreeMap<String, Value>) -> String {
    match load(of) {
        Err(FlowError::SnapLoadError(why)) => why.to_string(),
        other => panic!("{other:?}"),
    }
}

const PAINT: &str =
    "/lists/Each_of_Pile/items/1/lists/Each_of_Letter/items/0/agents/handle::Casual";

#[tokio::test]
async fn entries_without_a_head_are_refused() {
    let mut cut = started().await;
    assert!(load(&cut).is_ok());
    cut.remove("");
    assert_eq!(refusal(&cut), "its head is missing");
    assert_eq!(refusal(&BTreeMap::new()), "its head is missing");
}

/// Before it had an entry of its own, the number of steps was in the head.
#[tokio::test]
async fn a_run_goes_on_from_entries_with_the_number_of_steps_in_the_head() {
    let mut run = binding_of(3);
    run.next(Context::default()).await.unwrap();
    let entries_now = run.snapshot().entries().unwrap();
    let mut stored: BTreeMap<String, Value> = serde_json::from_value(json!(&entries_now)).unwrap();
    let steps = stored.remove("/steps").unwrap();
    stored.get_mut("").unwrap()["steps"] = steps;
    let earlier = entries(&stored);
    let mut stored = earlier.clone();

    let load = |of: &Entries| {
        let snapshot = FlowSnapshot::from_entries(of).unwrap();
        FlowRuntime::<Sheaf>::from_snapshot(snapshot).unwrap()
    };
    let mut loaded = load(&stored);
    assert_eq!(json!(&loaded), json!(&run));
    take(&mut loaded);
    loaded.next(Context::default()).await.unwrap();
    stored.apply(take(&mut loaded));
    assert_eq!(json!(&load(&stored)), json!(&loaded));
    let steps = json!(&run)["steps"].as_u64().unwrap();
    assert_eq!(json!(&load(&stored))["steps"], steps + 1);
    // What changes between steps is in the head.
    let mut stored = earlier;
    let mut loaded = load(&stored);
    take(&mut loaded);
    loaded.pause();
    stored.apply(take(&mut loaded));
    assert_eq!(json!(&load(&stored)), json!(&loaded));
}

#[tokio::test]
async fn the_number_of_steps_that_is_no_number_is_refused() {
    let mut wrong = started().await;
    wrong.insert("/steps".to_owned(), json!("many"));
    let why = refusal(&wrong);
    assert!(why.contains("expected u64"), "{why}");
    wrong.remove("/steps");
    let why = refusal(&wrong);
    assert!(why.contains("missing field `steps`"), "{why}");
}

#[tokio::test]
async fn keys_that_no_snapshot_has_are_refused() {
    let whole = started().await;
    let keys = [
        "nonsense",
        "/flow",
        "/steps/",
        "/steps/1",
        "/states",
        "/states/Piles/n",
        "/states/Piles/n/1",
        "states/Piles",
        "/lists/Each_of_Pile/items/x",
        "/lists/Each_of_Pile/items/01",
        "/lists/Each_of_Pile/items/+1",
        "/lists/Each_of_Pile/states/Pile",
        "/lists/Each_of_Pile/done/99999999999999999999999",
        "/conversation/0",
        &format!("{PAINT}/states/Pile"),
        &"/lists/Each_of_Pile/items/0".repeat(10_000),
    ];
    for key in keys {
        let mut more = whole.clone();
        more.insert(key.to_owned(), json!({}));
        let why = refusal(&more);
        assert!(why.ends_with("is not the key of an entry"), "{key}: {why}");
        assert!(why.len() < 1_000, "{}", why.len());
    }
    let mut more = whole.clone();
    more.insert("/nonsense/x".to_owned(), json!(1));
    assert!(refusal(&more).starts_with("unknown field `nonsense`"));
}

#[tokio::test]
async fn questions_of_two_items_with_one_id_or_number_are_refused() {
    let whole = started().await;
    let around = |key: &str| {
        key.rsplit_once("/questions/")
            .map(|(around, _)| around.to_owned())
    };
    let mut questions = whole.keys().filter(|key| around(key).is_some());
    let first = questions.next().unwrap();
    let second = questions.find(|key| around(key) != around(first)).unwrap();
    let id = |key: &str| key.rsplit_once('/').unwrap().1.replace("~1", "/");

    let mut one_number = whole.clone();
    one_number.get_mut(second).unwrap()["number"] = whole[first]["number"].clone();
    assert_eq!(
        refusal(&one_number),
        format!(
            "the question `{}` has the number of another question",
            id(second)
        )
    );

    let mut one_id = whole.clone();
    let question = one_id.remove(second).unwrap();
    let (section, _) = second.rsplit_once('/').unwrap();
    let (_, first_id) = first.rsplit_once('/').unwrap();
    one_id.insert(format!("{section}/{first_id}"), question);
    assert_eq!(
        refusal(&one_id),
        format!("the question `{}` is there twice", id(first))
    );

    let mut no_next_number = whole.clone();
    no_next_number.get_mut(second).unwrap()["number"] = json!(u64::MAX);
    assert_eq!(
        refusal(&no_next_number),
        "it has asked 18446744073709551615 questions, or one has such a number"
    );
}

#[tokio::test]
async fn a_conversation_with_a_gap_is_refused() {
    let whole = started().await;
    let messages = whole
        .keys()
        .filter(|key| key.starts_with(&format!("{PAINT}/")));
    assert_eq!(messages.count(), 2);
    for (missing, why) in [
        ("/conversation/0", "/conversation/0` is missing"),
        ("", "` is missing"),
    ] {
        let mut cut = whole.clone();
        cut.remove(&format!("{PAINT}{missing}")).unwrap();
        assert_eq!(refusal(&cut), format!("the entry `{PAINT}{why}"));
    }
}

#[tokio::test]
async fn an_entry_that_is_no_object_and_has_others_in_it_is_refused() {
    let mut wrong = started().await;
    wrong.insert(PAINT.to_owned(), json!(5));
    assert_eq!(
        refusal(&wrong),
        format!("the entry `{PAINT}` is not an object")
    );
    wrong.insert(String::new(), json!([]));
    assert_eq!(refusal(&wrong), "the entry `` is not an object");
}

#[test]
fn what_is_not_json_cannot_be_put_in() {
    let mut entries = Entries::default();
    for text in ["", "{", "{}}", "nonsense", "1 2"] {
        let error = entries.insert("/states/Piles", text.into()).unwrap_err();
        assert!(matches!(error, FlowError::SnapLoadError(_)), "{error}");
    }
    assert_eq!(entries.iter().count(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is cut out or put in, it is loaded or refused, and what was loaded can be written again.
    #[test]
    fn no_change_to_entries_makes_loading_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_u8..6), 1..6),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut of = started().await;
            for (at, other, kind) in changes {
                let keys: Vec<String> = of.keys().cloned().collect();
                if keys.is_empty() {
                    break;
                }
                let (key, other) = (at.get(&keys).clone(), other.get(&keys).clone());
                match kind {
                    0 => drop(of.remove(&key)),
                    // All that is in it.
                    1 => of.retain(|it, _| !it.starts_with(&key)),
                    2 => drop(of.insert(key, json!(null))),
                    3 => {
                        let value = of[&other].clone();
                        drop(of.insert(key, value));
                    }
                    4 => drop(of.insert(format!("{key}{other}"), json!({}))),
                    _ => {
                        let end = (0..key.len()).rfind(|end| key.is_char_boundary(*end));
                        let value = of[&key].clone();
                        drop(of.insert(key[..end.unwrap_or_default()].to_owned(), value));
                    }
                }
            }
            match load(&of) {
                Ok(run) => {
                    let again = run.snapshot().entries().unwrap();
                    let again = FlowSnapshot::from_entries(&again).unwrap();
                    assert!(FlowRuntime::<desk::Desk>::from_snapshot(again).is_ok());
                }
                Err(error) => assert!(matches!(error, FlowError::SnapLoadError(_)), "{error}"),
            }
        });
    }
}

/// Names that look like paths, and like the names of sections.
macro_rules! odd_flow {
    ($module:ident, $schema:literal, $node:literal) => {
        mod $module {
            use super::*;

            states!(End);

            #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
            #[schemars(rename = $schema)]
            pub(super) struct Odd {
                pub(super) n: u64,
            }

            impl Agent for Odd {
                type Output = End;

                fn build() -> AgentConfig {
                    AgentConfig::new("", "openai://m").with_tools(ToolBox::new().with::<Ask>())
                }

                fn node_id() -> String {
                    $node.into()
                }
            }

            impl Flow for Odd {
                type Output = End;

                fn build() -> Result<FlowGraph, FlowError> {
                    FlowGraph::builder().agent::<Odd>().build()
                }
            }

            #[tokio::test]
            async fn is_kept_and_found_again() {
                let script = ScriptedModel::new()
                    .call($node, "ask", json!({ "what": "a" }))
                    .reply($node, json!({ "n": 7 }));
                let factory = ClientFactory::new().with_scripted(script);
                let run = FlowRuntime::new(Odd { n: 0 }).unwrap();
                let mut run = run.with_factory(factory.clone());
                let mut stored = Entries::default();
                loop {
                    let out = run.next(Context::default()).await;
                    stored.apply(take(&mut run));
                    let snapshot = FlowSnapshot::from_entries(&stored).unwrap();
                    assert_eq!(text(&snapshot), text(&run.snapshot()));
                    let mut again = FlowRuntime::<Odd>::from_snapshot(snapshot).unwrap();
                    // The first changes of a restored run are all there is.
                    let all = format!(r#"{{"deleted":[],"put":{}}}"#, text(&stored));
                    assert_eq!(text(&take(&mut again)), all);
                    match out {
                        Ok(RunOut::Done(end)) => break assert_eq!(end, End { n: 7 }),
                        Err(FlowError::ResumeRequired(id)) => {
                            assert_eq!(id, concat!($node, "::ask"));
                            run = again.with_factory(factory.clone());
                            run.answer(Context::default(), &id, "yes").await.unwrap();
                        }
                        out => drop(out.unwrap()),
                    }
                }
            }
        }
    };
}

odd_flow!(a_name_with_slashes_and_tildes, "Odd", "a/b~c~1d~0/");
odd_flow!(a_number_as_a_name, "Odd", "007");
odd_flow!(a_state_with_the_name_of_a_section, "conversation", "items");
