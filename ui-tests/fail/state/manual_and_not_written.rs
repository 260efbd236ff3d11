use pravah_runtime::prelude::*;

#[state(manual(JsonSchema))]
struct Page { text: String }

fn main() {}
