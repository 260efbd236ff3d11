use pravah_runtime::prelude::*;

#[state] struct Claim {}
#[state] struct Closed {}

/// Pays a customer.
#[tool]
async fn pay(euros: u32) -> Result<u32, ToolError> { Ok(euros) }

#[agent(model = "openai://m", preamble = "", output = Closed, tools = [pay], approve = [refund])]
fn clerk(_: &Claim) -> String { String::new() }

#[flow]
fn closing(claim: Claim) -> Closed { flow! { clerk } }

fn main() {}
