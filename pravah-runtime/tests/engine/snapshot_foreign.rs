//! Snapshots that are of something else, or broken: refused with the reason, never a panic.

use pravah_runtime::{
    Agent, AgentConfig, ClientFactory, Context, Either, Flow, FlowError, FlowGraph, FlowRuntime,
    FlowSnapshot, RunOut, ScriptedModel, Tool, ToolBox, ToolError,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::engine_support::{json, only_failed, states};

states!(Case, Brief, Facts, Opinion, Known, Verdict, Again, Closed);

#[derive(Deserialize, JsonSchema)]
struct Ask {}

impl Tool for Ask {
    type Output = bool;

    fn name() -> &'static str {
        "ask"
    }

    fn description() -> &'static str {
        "Asks."
    }

    async fn call(self, ctx: Context) -> Result<bool, ToolError> {
        ctx.resumed::<bool>()?
            .ok_or_else(|| ToolError::suspend("?"))
    }
}

impl Agent for Brief {
    type Output = Opinion;

    fn build() -> AgentConfig {
        AgentConfig::new("", "openai://m").with_tools(ToolBox::new().with::<Ask>())
    }
}

/// An agent that suspends beside plain work, in a loop.
impl Flow for Case {
    type Output = Closed;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .fork::<Case, Brief, Facts, _>(|case, _| Ok((Brief { n: case.n }, Facts { n: case.n })))
            .agent::<Brief>()
            .work::<Facts, Known, _, _>(|facts, _| async move { Ok(Known { n: facts.n }) })
            .join::<Opinion, Known, Verdict, _>(|_, known, _| Ok(Verdict { n: known.n }))
            .either::<Verdict, Again, Closed, _>(|verdict, _| {
                Ok(match verdict.n {
                    0 => Either::Right(Closed { n: 0 }),
                    n => Either::Left(Again { n: n - 1 }),
                })
            })
            .work::<Again, Case, _, _>(|again, _| async move { Ok(Case { n: again.n }) })
            .build()
    }
}

fn factory() -> ClientFactory {
    // Two rounds.
    let script = (0..2).fold(ScriptedModel::new(), |script, _| {
        script
            .call("Brief", "ask", json!({}))
            .reply("Brief", json!({ "n": 1 }))
    });
    ClientFactory::new().with_scripted(script)
}

pub(crate) fn restore(json: Value) -> Result<FlowRuntime<Case>, FlowError> {
    let snapshot: FlowSnapshot =
        serde_json::from_value(json).map_err(|error| FlowError::SnapLoadError(error.into()))?;
    restored(snapshot)
}

pub(crate) fn restored(snapshot: FlowSnapshot) -> Result<FlowRuntime<Case>, FlowError> {
    Ok(FlowRuntime::from_snapshot(snapshot)?.with_factory(factory()))
}

pub(crate) fn start() -> FlowRuntime<Case> {
    FlowRuntime::new(Case { n: 1 })
        .unwrap()
        .with_run_id("r")
        .with_factory(factory())
}

/// The snapshot after `steps` steps.
pub(crate) async fn after(steps: usize) -> Value {
    let mut run = start();
    for _ in 0..steps {
        step(&mut run).await.unwrap();
    }
    json(&run)
}

pub(crate) async fn step(run: &mut FlowRuntime<Case>) -> Result<RunOut<Closed>, FlowError> {
    let before = json(run)["steps"].clone();
    match run.next(Context::default()).await {
        Err(FlowError::ResumeRequired(id)) => run.resume(Context::default(), (id, true)).await,
        // A restored run announces what is open.
        Ok(RunOut::Suspend { tool_id, .. }) if json(run)["steps"] == before => {
            run.resume(Context::default(), (tool_id, true)).await
        }
        out => out,
    }
}

/// What is said of the snapshot after `steps` steps, changed by `change`.
async fn refusal(steps: usize, change: impl FnOnce(&mut Value)) -> String {
    let mut json = after(steps).await;
    change(&mut json);
    match restore(json) {
        Err(FlowError::SnapLoadError(why)) => why.to_string(),
        Err(error) => panic!("{error:?}"),
        Ok(_) => panic!("it was loaded"),
    }
}

fn object(json: &mut Value) -> &mut serde_json::Map<String, Value> {
    json.as_object_mut().unwrap()
}

#[tokio::test]
async fn a_snapshot_of_another_version_is_refused() {
    assert_eq!(
        refusal(0, |json| json["version"] = json!(1)).await,
        "its layout has version 1, and this release reads version 7"
    );
}

#[tokio::test]
async fn a_snapshot_of_another_flow_is_refused() {
    assert_eq!(
        refusal(0, |json| json["flow"] = json!("Ticket")).await,
        "it is of the flow `Ticket`, and this is `Case`"
    );
}

#[tokio::test]
async fn text_that_is_no_fingerprint_is_refused() {
    let why = refusal(0, |json| json["fingerprint"] = json!("x")).await;
    assert_eq!(
        why,
        "`x` is not a fingerprint: a fingerprint has 32 hexadecimal digits, this text has 1 bytes"
    );
}

#[test]
fn a_snapshot_that_was_taken_of_another_flow_is_refused() {
    states!(Other, OtherEnd);

    impl Flow for Other {
        type Output = OtherEnd;

        fn build() -> Result<FlowGraph, FlowError> {
            FlowGraph::builder()
                .work::<Other, OtherEnd, _, _>(|_, _| async { Ok(OtherEnd { n: 0 }) })
                .build()
        }
    }

    let run = FlowRuntime::new(Other { n: 0 }).unwrap();
    let why = "the snapshot could not be loaded: it is of the flow `Other`, and this is `Case`";
    let error = FlowRuntime::<Case>::from_snapshot(run.snapshot())
        .err()
        .unwrap();
    assert_eq!(error.to_string(), why);
    let stored = serde_json::to_string(&run).unwrap();
    let error = serde_json::from_str::<FlowRuntime<Case>>(&stored)
        .err()
        .unwrap();
    assert_eq!(error.to_string(), why);
}

#[tokio::test]
async fn an_unknown_state_is_refused() {
    let why = refusal(0, |json| json["states"] = json!({ "Nonsense": {} })).await;
    assert_eq!(why, "the flow has no state `Nonsense`");
    let why = refusal(0, |json| json["states"] = json!({ "Closed": {} })).await;
    assert_eq!(why, "the state `Closed` ends the flow and cannot wait");
}

#[tokio::test]
async fn an_unknown_ready_node_is_refused() {
    let why = refusal(0, |json| json["ready"] = json!({ "Nonsense": 1 })).await;
    assert_eq!(why, "the flow has no node that takes `Nonsense` first");
}

#[tokio::test]
async fn a_ready_node_without_its_states_is_refused() {
    let why = refusal(0, |json| json["ready"] = json!({ "Case": 1, "Opinion": 2 })).await;
    assert_eq!(
        why,
        "`Opinion` is ready, and yet not all of its states are there"
    );
}

#[tokio::test]
async fn a_node_with_its_states_that_is_not_ready_is_refused() {
    let why = refusal(1, |json| json["ready"] = json!({ "Brief": 1 })).await;
    assert_eq!(
        why,
        "`Facts` has all of its states, and yet it is neither ready nor suspended"
    );
}

#[tokio::test]
async fn a_ready_queue_that_is_null_is_refused() {
    let why = refusal(0, |json| json["ready"] = json!(null)).await;
    assert!(why.contains("null"), "{why}");
}

#[tokio::test]
async fn an_agent_without_the_calls_that_its_model_asked_for_is_refused() {
    let why = refusal(2, |json| {
        drop(object(&mut json["agents"]["Brief"]).remove("pending"))
    })
    .await;
    assert_eq!(
        why,
        "the calls of `Brief` are not those of its conversation"
    );
}

#[tokio::test]
async fn missing_states_are_refused() {
    let why = refusal(0, |json| drop(object(json).remove("states"))).await;
    assert_eq!(why, "it is not finished, and yet no state waits");
}

#[tokio::test]
async fn a_missing_ready_queue_is_refused_where_two_nodes_are_ready() {
    let why = refusal(1, |json| drop(object(json).remove("ready"))).await;
    assert_eq!(
        why,
        "`Brief` has all of its states, and yet it is neither ready nor suspended"
    );
}

#[tokio::test]
async fn visits_of_a_node_that_another_version_had_are_kept() {
    let mut json = after(0).await;
    json["visits"] = json!({ "Gone": 1 });
    let snapshot: FlowSnapshot = serde_json::from_value(json.clone()).unwrap();
    let run = FlowRuntime::<Case>::from_snapshot(snapshot).unwrap();
    assert_eq!(serde_json::to_value(&run).unwrap(), json);
}

#[tokio::test]
async fn an_unknown_field_is_refused() {
    let why = refusal(0, |json| json["nonsense"] = json!(1)).await;
    assert!(why.starts_with("unknown field `nonsense`"), "{why}");
}

#[test]
fn json_that_is_no_snapshot_is_refused_with_a_short_message() {
    let error = serde_json::from_str::<FlowSnapshot>(r#"{ "subject": "a state" }"#);
    assert_eq!(
        error.err().unwrap().to_string(),
        "unknown field `subject` in the snapshot of a run at line 1 column 11"
    );
}

#[tokio::test]
async fn a_name_that_is_there_twice_is_refused() {
    let text = after(0)
        .await
        .to_string()
        .replace("\"states\":{", "\"states\":{\"Case\":{\"n\":2},");
    let error = serde_json::from_str::<FlowSnapshot>(&text).err().unwrap();
    assert!(
        error.to_string().starts_with("`Case` is there twice"),
        "{error}"
    );
}

#[tokio::test]
async fn a_run_that_is_done_and_not_done_is_refused() {
    let output = json!({ "Closed": { "n": 1 } });
    let why = refusal(0, |json| json["output"] = output).await;
    assert_eq!(why, "it is finished, and yet states wait");
    let why = refusal(0, |json| json["output"] = json!({ "Case": { "n": 1 } })).await;
    assert_eq!(
        why,
        "the run has returned `Case`, and the flow returns `Closed`"
    );
    let why = refusal(0, |json| json["states"] = json!({})).await;
    assert_eq!(why, "it is not finished, and yet no state waits");
}

#[tokio::test]
async fn a_question_that_nothing_waits_for_is_refused() {
    let open =
        |node: &str| json!({ "x": { "number": 0, "value": null, "node": node, "call": "c" } });
    let why = refusal(0, |json| json["questions"] = open("Case")).await;
    assert_eq!(why, "nothing waits for the question `x`");
    let why = refusal(3, |json| json["questions"] = open("Brief")).await;
    assert_eq!(why, "nothing waits for the question `x`");
}

#[tokio::test]
async fn a_question_that_is_there_twice_is_refused() {
    let twice = |number: u64| {
        move |json: &mut Value| {
            let mut again = json["questions"]["Brief::ask"].clone();
            again["number"] = json!(number);
            json["questions"]["other"] = again;
        }
    };
    for number in [0, 1] {
        assert_eq!(
            refusal(4, twice(number)).await,
            "the question `other` has the tool call of another question"
        );
    }
}

#[tokio::test]
async fn progress_of_a_node_that_is_no_agent_is_refused() {
    let agents = after(4).await["agents"]["Brief"].clone();
    let why = refusal(0, |json| json["agents"] = json!({ "Case": agents })).await;
    assert_eq!(why, "`Case` is not an agent");
}

// S1.40: what no run could get out of is told before the run goes on.
#[tokio::test]
async fn states_that_cannot_finish_are_refused_with_what_would_help() {
    let why = refusal(0, |json| json["states"] = json!({ "Opinion": { "n": 1 } })).await;
    assert_eq!(
        why,
        "`Opinion` has `Opinion` and would wait forever for `Known`; it could finish with `Facts`, or with \
         `Known`, or with `Case` instead of `Opinion`"
    );
    let why = refusal(0, |json| json["states"]["Facts"] = json!({ "n": 9 })).await;
    assert_eq!(
        why,
        "`Case`, `Facts` wait together, and a run has only one of `Case`, `Facts`, `Known`, `Verdict`, \
         `Again`, `Closed` at a time; it could finish with `Brief` instead of `Case`, or with `Opinion` \
         instead of `Case`, or without `Facts`"
    );
    let why = refusal(0, |json| {
        json["states"] = json!({ "Verdict": { "n": 0 }, "Known": { "n": 9 } });
    })
    .await;
    assert!(why.starts_with("`Known`, `Verdict` wait together"), "{why}");
}

#[tokio::test]
async fn a_state_that_cannot_be_read_is_an_error_of_the_step_that_takes_it() {
    let mut wrong = after(0).await;
    wrong["states"]["Case"] = json!("no case");
    let mut run = restore(wrong).unwrap();
    assert!(run.peek::<Case>().is_none());
    let before = json(&run);
    let error = run.next(Context::default()).await.unwrap_err();
    assert!(
        matches!(&error, FlowError::State { state, .. } if state == "Case"),
        "{error:?}"
    );
    only_failed(&run, &before, "Case");
}
