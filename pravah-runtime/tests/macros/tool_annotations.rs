//! What tools say of their effects.

use pravah_runtime::{ToolContract, prelude::*};
use serde_json::json;

#[state]
struct Asked {}
#[state]
struct Answered {}

/// Says nothing.
#[tool]
async fn silent() -> Result<(), ToolError> {
    Ok(())
}

/// Searches the web.
#[tool(read_only, open_world)]
async fn search(
    /// What for.
    text: String,
) -> Result<String, ToolError> {
    Ok(text)
}

/// Adds a note.
#[tool(destructive = false, idempotent, open_world = false)]
async fn note(text: String) -> Result<String, ToolError> {
    Ok(text)
}

/// Deletes everything.
#[tool(destructive, approve)]
async fn wipe() -> Result<(), ToolError> {
    Ok(())
}

/// Answers.
#[agent(model = "openai://m", output = Answered, tools = [silent, search, note, wipe], approve = [note])]
fn clerk(_: &Asked) -> String {
    String::new()
}

#[flow]
fn asking(asked: Asked) -> Answered {
    flow! { clerk }
}

/// A tool without `#[tool]`.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct ByHand {}

impl Tool for ByHand {
    type Output = ();

    fn name() -> &'static str {
        "by_hand"
    }

    fn description() -> &'static str {
        "Written by hand."
    }

    async fn call(self, _: Context) -> Result<(), ToolError> {
        Ok(())
    }
}

// S5.1
#[test]
fn a_node_contract_lists_the_tools_with_what_they_say() {
    let contracts = asking::graph().unwrap().node_contracts();
    let tools = serde_json::to_value(&contracts[0].tools).unwrap();
    assert_eq!(tools[0]["name"], "silent");
    assert_eq!(tools[0].get("annotations"), None);
    assert_eq!(tools[0].get("needsApproval"), None);
    assert_eq!(
        tools[1]["annotations"],
        json!({ "readOnlyHint": true, "openWorldHint": true })
    );
    assert_eq!(tools[1]["description"], "Searches the web.");
    let text = &tools[1]["inputSchema"]["properties"]["text"];
    assert_eq!(text["description"], "What for.");
    assert_eq!(
        tools[2]["annotations"],
        json!({ "destructiveHint": false, "idempotentHint": true, "openWorldHint": false })
    );
    assert_eq!(tools[2]["needsApproval"], true);
    assert_eq!(tools[3]["annotations"], json!({ "destructiveHint": true }));
    assert_eq!(tools[3]["needsApproval"], true);
}

#[test]
fn a_tool_by_hand_says_nothing_and_can_be_approved() {
    let tools = ToolBox::new().with::<ByHand>().with_approval::<ByHand>();
    let tools: Vec<ToolContract> = tools.contracts();
    assert_eq!(tools[0].annotations, ToolAnnotations::new());
    assert_eq!(
        [tools[0].needs_approval, tools[1].needs_approval],
        [false, true]
    );
    let all = ToolBox::new().with::<ByHand>().approve_all();
    assert!(all.contracts()[0].needs_approval);
}

#[test]
fn an_approval_of_nothing_is_a_mistake_of_the_agent() {
    let check = |tools: ToolBox| {
        let agent = AgentConfig::new("", "openai://m").with_tools(tools);
        agent.check().err().unwrap_or_default()
    };
    assert_eq!(
        check(ToolBox::new().with::<ByHand>().approve_destructive()),
        ["`approve_destructive` approves nothing: no tool is destructive"]
    );
    assert_eq!(
        check(ToolBox::new().approve_all()),
        ["`approve_all` approves nothing: there are no tools"]
    );
    let fine = ToolBox::new().with::<wipe>().approve_destructive();
    assert!(check(fine.approve_all()).is_empty());
}
