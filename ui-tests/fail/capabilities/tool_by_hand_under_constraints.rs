use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

use serde::Deserialize; use schemars::JsonSchema;
#[derive(Deserialize, JsonSchema)] struct Run {}
impl Tool for Run {
    type Output = ();
    fn name() -> &'static str { "run" }
    fn description() -> &'static str { "Runs." }
    async fn call(self, _: Context) -> Result<(), ToolError> { Ok(()) }
}
/// Answers.
#[agent(model = "openai://gpt-4o-mini", output = B, tools = [Run], constraints(no_commands))]
struct Ask {}

fn main() {}
