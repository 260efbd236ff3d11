use pravah_runtime::prelude::*;

struct Opened;

/// Opens a file.
#[tool(external)]
async fn open(path: String) -> Opened;

fn main() {}
