use pravah_runtime::prelude::*;

/// Opens a file.
#[tool(client)]
async fn open(path: String) -> String;

fn main() {}
