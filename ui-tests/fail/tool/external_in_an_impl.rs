use pravah_runtime::prelude::*;

struct Files;

impl Files {
    /// Opens a file.
    #[tool(external)]
    async fn open(path: String) -> String;
}

fn main() {}
