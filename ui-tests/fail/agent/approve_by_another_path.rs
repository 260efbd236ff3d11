use pravah_runtime::prelude::*;

#[state] struct Claim {}
#[state] struct Closed {}

mod shop {
    /// Pays a customer.
    #[pravah_runtime::tool]
    pub async fn pay(euros: u32) -> Result<u32, String> { Ok(euros) }
}

#[agent(model = "openai://m", preamble = "", output = Closed, tools = [shop::pay], approve = [pay])]
fn clerk(_: &Claim) -> String { String::new() }

fn main() {}
