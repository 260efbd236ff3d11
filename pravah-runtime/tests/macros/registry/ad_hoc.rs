//! Ad-hoc agents.

use pravah_runtime::{AgentConfig, ExternalCall, invocation::AdHocTools};

use super::*;

/// Adds numbers.
#[tool]
async fn add(a: u32, b: u32) -> Result<u32, ToolError> {
    Ok(a + b)
}

/// Counts letters.
#[tool]
async fn count(text: String) -> Result<usize, ToolError> {
    Ok(text.len())
}

/// Picks a file.
#[tool(external)]
async fn pick() -> String;

fn registry() -> AgentRegistry {
    let tools = ToolBox::new().with::<add>().with::<count>().with::<pick>();
    let base = AgentConfig::new("Be brief.", "openai://m").with_tools(tools);
    super::registry().with_ad_hoc(base)
}

fn checker() -> Target {
    Target::ad_hoc("You check facts.", "Is there a train to Benin?")
}

/// Runs it to its end, restored before every step.
async fn played(invocation: Invocation, model: &Recorder) -> Value {
    let mut run = registry().invoke(invocation).unwrap().with_run_id("run");
    loop {
        let stored = serde_json::to_string(&run).unwrap();
        let snapshot = serde_json::from_str(&stored).unwrap();
        run = registry()
            .restore(snapshot)
            .unwrap()
            .with_factory(model.factory());
        match run.next(ctx()).await.unwrap() {
            RunOut::Done(result) => return to_value(result).unwrap(),
            RunOut::Continue => {}
            RunOut::Suspend { tool_id, value } => {
                let call: ExternalCall = from_value(value).unwrap();
                assert_eq!(call.tool, "pick");
                run.answer(ctx(), &tool_id, "notes.md").await.unwrap();
            }
            out => panic!("{out:?}"),
        }
    }
}

fn tools_of(model: &Recorder) -> Vec<String> {
    let asked = model.asked();
    let tools = asked[0].tools.iter();
    tools.map(|tool| tool.name.clone()).collect()
}

// A17, S2.3, S2.4
#[tokio::test]
async fn an_ad_hoc_agent_is_told_what_all_are_and_then_its_own_prompt() {
    let model = Recorder::new(ScriptedModel::new().reply("ad_hoc", "No."));
    let result = played(Invocation::single(checker()), &model).await;
    assert_eq!(result["result"]["content"], "No.");
    let asked = model.asked();
    assert_eq!(asked[0].system, "Be brief.\n\nYou check facts.");
    let told = asked[0].messages[0].user_text().unwrap().to_string();
    assert_eq!(told, "Is there a train to Benin?");
    assert_eq!(tools_of(&model), ["add", "count", "pick"]);
}

// S2.4, S2.25
#[tokio::test]
async fn tools_that_are_named_replace_those_of_the_host() {
    for (tools, expected) in [
        (AdHocTools::builtin(["count"]), vec!["count"]),
        (AdHocTools::default(), vec![]),
        (
            from_value(json!({ "builtin": ["add"], "external": ["*"] })).unwrap(),
            vec!["add", "pick"],
        ),
    ] {
        let model = Recorder::new(ScriptedModel::new().reply("ad_hoc", "No."));
        let target = checker().with_own_tools(tools);
        played(Invocation::single(target), &model).await;
        assert_eq!(tools_of(&model), expected);
    }
}

#[tokio::test]
async fn two_ad_hoc_agents_at_once_use_tools_and_ask_for_what_is_outside() {
    let script = ScriptedModel::new()
        .call("ad_hoc[0]", "add", json!({ "a": 1, "b": 2 }))
        .reply("ad_hoc[0]", "3")
        .call("ad_hoc[1]", "pick", json!({}))
        .reply("ad_hoc[1]", "notes.md");
    let model = Recorder::new(script);
    let targets = ["You add.", "You pick."].map(|prompt| Target::ad_hoc(prompt, "Go."));
    let result = played(Invocation::all(targets), &model).await;
    assert_eq!(result["results"][0]["content"], "3");
    assert_eq!(result["results"][1]["content"], "notes.md");
    let asked = model.asked();
    let systems: Vec<&str> = asked.iter().map(|it| &*it.system).collect();
    let [add, pick] = ["Be brief.\n\nYou add.", "Be brief.\n\nYou pick."];
    assert_eq!(systems.iter().filter(|it| **it == add).count(), 2);
    assert_eq!(systems.iter().filter(|it| **it == pick).count(), 2);
    assert_eq!(asked.len(), 4, "no call is repeated");
}

#[test]
fn tools_that_the_host_does_not_have_are_refused_by_name() {
    for (tools, unknown) in [
        (json!({ "builtin": ["search"] }), "search"),
        (json!({ "builtin": ["pick"] }), "pick"),
        (json!({ "builtin": ["*"] }), "*"),
        (json!({ "external": ["add"] }), "add"),
    ] {
        let target = checker().with_own_tools(from_value(tools).unwrap());
        let error = registry().invoke(Invocation::single(target)).unwrap_err();
        let expected = format!(
            "unknown tool `{unknown}`: `builtin` has `add`, `count`, `external` has `pick`"
        );
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_base_that_is_no_agent_is_an_error_of_the_registry() {
    let registry = AgentRegistry::new().with_ad_hoc(AgentConfig::new("Be brief.", "no model"));
    let error = registry.invoke(Invocation::single(checker())).unwrap_err();
    assert!(matches!(error, InvokeError::Registry(_)), "{error}");
}
