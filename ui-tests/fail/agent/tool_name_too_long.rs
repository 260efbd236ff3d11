use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
/// Searches.
#[tool]
async fn search_every_file_of_the_customer_and_every_letter_of_the_last_ten_years(text: String)
    -> Result<String, ToolError> { Ok(text) }
use search_every_file_of_the_customer_and_every_letter_of_the_last_ten_years as search;

#[agent(model = "openai://gpt-4o-mini", preamble = "P", output = B, tools = [search])]
fn ask(_: &A) -> String { String::new() }

fn main() {}
