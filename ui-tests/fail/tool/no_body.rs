use pravah_runtime::prelude::*;

/// Opens a file.
#[tool]
async fn open(path: String) -> String;

fn main() {}
