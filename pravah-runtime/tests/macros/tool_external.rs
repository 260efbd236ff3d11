//! External tools, which are executed outside the run.

use pravah_runtime::{ToolContract, prelude::*};
use serde_json::{Value, from_value, json};

use crate::macros_support::{Recorder, output, restart, suspended};

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Wish {
    text: String,
}
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Letter {
    text: String,
}

/// A file as the client has it.
#[state]
struct Opened {
    #[schemars(range(max = 100))]
    lines: u32,
}

/// Opens a file on the user's machine.
#[tool(external, read_only)]
async fn open(
    /// Where it is.
    path: String,
    #[serde(default)] line: u32,
) -> Opened;

/// Says what is selected.
#[tool(external)]
async fn selection() -> Option<String>;

/// Deletes a file on the user's machine.
#[tool(external, approve, destructive)]
async fn delete(path: String) -> Result<(), String>;

/// Counts letters.
#[tool]
async fn count(text: String) -> Result<usize, ToolError> {
    Ok(text.len())
}

#[agent(
    model = "openai://m",
    preamble = "",
    output = Letter,
    tools = [open, delete, count, selection],
)]
fn clerk(wish: &Wish) -> String {
    wish.text.clone()
}

#[flow]
fn wishes(wish: Wish) -> Letter {
    flow! { clerk }
}

/// A run in which the model calls these tools at once.
fn calling<const N: usize>(calls: [(&str, Value); N]) -> (FlowRuntime<Wish>, Recorder) {
    let script = ScriptedModel::new()
        .calls("clerk", calls)
        .reply("clerk", json!({ "text": "Done." }));
    let model = Recorder::new(script);
    let wish = Wish {
        text: "Read it.".into(),
    };
    let run = FlowRuntime::new(wish).unwrap();
    (run.with_factory(model.factory()), model)
}

fn ctx() -> Context {
    Context::default()
}

// A21, S2.25, S2.31
#[tokio::test]
async fn the_call_waits_with_all_that_is_needed_and_the_model_reads_what_is_answered() {
    let (mut run, model) = calling([("open", json!({ "path": "a.md" }))]);
    let (id, value) = suspended(run.run(ctx()).await);
    assert_eq!(
        (&*id, &value["type"]),
        ("clerk::open", &json!("external_call"))
    );
    let call: ExternalCall = from_value(value).unwrap();
    assert_eq!(call.tool, "open");
    assert_eq!(call.description, "Opens a file on the user's machine.");
    assert_eq!(call.arguments, json!({ "path": "a.md" }));
    assert_eq!(call.annotations.read_only, Some(true));
    assert_eq!(call.schema["properties"]["lines"]["maximum"], 100);

    run.answer(ctx(), &id, json!({ "lines": 7 })).await.unwrap();
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    let result = model.results().remove(0);
    assert_eq!(&*result.text, r#"{"lines":7}"#);
    assert!(!result.is_error);
}

#[tokio::test]
async fn a_tool_without_parameters_may_have_nothing_to_say() {
    let (mut run, model) = calling([("selection", json!({}))]);
    let (id, value) = suspended(run.run(ctx()).await);
    let call: ExternalCall = from_value(value).unwrap();
    assert_eq!(call.arguments, json!({}));
    run.answer(ctx(), &id, ()).await.unwrap();
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    assert_eq!(&*model.results().remove(0).text, "null");
}

#[tokio::test]
async fn an_answer_that_the_tool_does_not_return_leaves_the_call_open() {
    let (mut run, _) = calling([("open", json!({ "path": "a.md" }))]);
    let (id, _) = suspended(run.run(ctx()).await);
    for answer in [
        json!("seven"),
        json!({}),
        json!({ "lines": 101 }),
        json!(null),
    ] {
        let error = run.answer(ctx(), &id, &answer).await.unwrap_err();
        assert!(
            matches!(error, FlowError::ResumePayload { .. }),
            "{answer}: {error}"
        );
        assert_eq!(run.suspensions().len(), 1);
    }
    run.answer(ctx(), &id, json!({ "lines": 100 }))
        .await
        .unwrap();
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
}

#[tokio::test]
async fn arguments_that_do_not_fit_go_back_to_the_model_alone() {
    let (mut run, model) = calling([("open", json!({ "path": 7 }))]);
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    assert!(model.results().remove(0).is_error);
}

#[tokio::test]
async fn the_call_and_the_results_beside_it_survive_a_restart() {
    let calls = [
        ("open", json!({ "path": "a.md", "line": 3 })),
        ("count", json!({ "text": "four" })),
        ("open", json!({ "path": "b.md" })),
    ];
    let (mut run, model) = calling(calls);
    suspended(run.run(ctx()).await);
    let mut run = restart(&run).with_factory(model.factory());
    let asked = run.suspensions();
    assert_eq!(asked.len(), 2);
    // Those who answer may come in any order.
    for (suspension, lines) in asked.iter().zip([1, 2]).rev() {
        let call: ExternalCall = from_value(suspension.value.clone()).unwrap();
        assert_eq!(call.tool, "open");
        run.answer(ctx(), &suspension.tool_id, json!({ "lines": lines }))
            .await
            .unwrap();
        run = restart(&run).with_factory(model.factory());
    }
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    let results: Vec<String> = model
        .results()
        .iter()
        .map(|result| result.text.to_string())
        .collect();
    assert_eq!(results, [r#"{"lines":1}"#, "4", r#"{"lines":2}"#]);
}

/// A run in which a call waits that a person has approved with other arguments.
async fn approved() -> (FlowRuntime<Wish>, Recorder) {
    let (mut run, model) = calling([("delete", json!({ "path": "a.md" }))]);
    let (id, question) = suspended(run.run(ctx()).await);
    // A call that nobody has approved is not to be read as one.
    assert!(from_value::<ExternalCall>(question).is_err());
    let edited = json!({ "verdict": "edit", "output": { "path": "b.md" } });
    run.answer(ctx(), &id, edited).await.unwrap();
    (run, model)
}

#[tokio::test]
async fn a_person_approves_before_the_call_is_handed_out() {
    let (mut run, _) = approved().await;
    let (id, value) = suspended(run.run(ctx()).await);
    let call: ExternalCall = from_value(value).unwrap();
    assert_eq!(call.arguments, json!({ "path": "b.md" }));
    run.answer(ctx(), &id, json!({ "Ok": null })).await.unwrap();
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
}

#[tokio::test]
async fn what_failed_outside_is_said_in_the_type_of_the_answer() {
    let (mut run, model) = calling([
        ("open", json!({ "path": "a.md" })),
        ("delete", json!({ "path": "a.md" })),
    ]);
    for suspension in {
        suspended(run.run(ctx()).await);
        run.suspensions()
    } {
        let answer = match &*suspension.tool_id {
            "clerk::open" => json!({ "lines": 7 }),
            _ => json!({ "verdict": "approve" }),
        };
        run.answer(ctx(), &suspension.tool_id, answer)
            .await
            .unwrap();
    }
    let (id, _) = suspended(run.run(ctx()).await);
    run.answer(ctx(), &id, json!({ "Err": "it is locked" }))
        .await
        .unwrap();
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    let result = model.results().remove(1);
    assert_eq!(&*result.text, r#"{"Err":"it is locked"}"#);
    // To providers it is a result.
    assert!(!result.is_error);
}

#[tokio::test]
async fn an_answer_through_a_hub_is_checked_as_any_other() {
    let (mut run, _) = calling([("open", json!({ "path": "a.md" }))]);
    let hub = run.hub();
    let (id, _) = suspended(run.run(ctx()).await);
    hub.reply(&*id, "seven");
    // The call is handed out again.
    let (again, _) = suspended(run.run(ctx()).await);
    assert_eq!(again, id);
    hub.reply(&*id, json!({ "lines": 7 }));
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
}

#[tokio::test]
async fn a_rejected_call_is_not_handed_out() {
    let (mut run, model) = calling([("delete", json!({ "path": "a.md" }))]);
    let (id, _) = suspended(run.run(ctx()).await);
    run.answer(ctx(), &id, json!({ "verdict": "reject" }))
        .await
        .unwrap();
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    assert!(model.results().remove(0).is_error);
}

#[tokio::test]
async fn called_as_a_function_of_the_program_it_says_who_executes_it() {
    let tool: open = from_value(json!({ "path": "a.md" })).unwrap();
    let error = tool.call(ctx()).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("whoever drives the run executes it"),
        "{error}"
    );
}

#[test]
fn the_contract_says_which_tools_are_external() {
    let tools = ToolBox::new().with::<open>().with::<count>().contracts();
    let is_external = |tool: &ToolContract| tool.external;
    assert_eq!(
        tools.iter().map(is_external).collect::<Vec<_>>(),
        [true, false]
    );
    let written = serde_json::to_value(&tools).unwrap();
    assert_eq!(written[0]["external"], json!(true));
    assert!(written[1].get("external").is_none());
    let nodes = Wish::build().unwrap().node_contracts();
    let of_node = nodes[0].tools.iter().map(is_external);
    assert_eq!(of_node.collect::<Vec<_>>(), [true, true, false, true]);
}
