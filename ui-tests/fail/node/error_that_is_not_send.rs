use pravah_runtime::prelude::*;

#[state] struct Mail {}
#[state] struct Filed {}

#[node]
async fn file(_: Mail) -> Result<Filed, Box<dyn std::error::Error>> { Ok(Filed {}) }

fn main() {}
