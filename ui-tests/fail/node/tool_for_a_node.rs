use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }

/// Searches.
#[tool]
async fn search(text: String) -> Result<String, ToolError> { Ok(text) }

#[flow]
fn story(a: A) -> B { flow! { read -> search } }

fn main() {}
