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
#[tool(destructive)]
async fn wipe() -> Result<(), ToolError> {
    Ok(())
}

/// Answers.
#[agent(model = "openai://m", output = Answered, tools = [silent, search, note, wipe])]
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
    assert_eq!(tools[3]["annotations"], json!({ "destructiveHint": true }));
}

#[test]
fn a_tool_by_hand_says_nothing_unless_it_does() {
    let tools: Vec<ToolContract> = ToolBox::new().with::<ByHand>().contracts();
    assert_eq!(tools[0].annotations, ToolAnnotations::new());
}
