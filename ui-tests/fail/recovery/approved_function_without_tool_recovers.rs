use pravah_runtime::prelude::*;

#[state] struct Claim {}
#[state] struct Closed {}

async fn pay(euros: u32) -> Result<u32, ToolError> { Ok(euros) }

#[agent(model = "openai://m", preamble = "", output = Closed, tools = [pay], approve = destructive)]
fn clerk(_: &Claim) -> String { String::new() }

#[flow]
fn closing(claim: Claim) -> Closed { flow! { clerk } }

fn main() {}
