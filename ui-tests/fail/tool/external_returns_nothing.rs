use pravah_runtime::prelude::*;

/// Opens a file.
#[tool(external)]
async fn open(path: String);

fn main() {}
