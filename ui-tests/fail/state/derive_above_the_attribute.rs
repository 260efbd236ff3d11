use pravah_runtime::prelude::*;

#[derive(serde::Serialize)]
#[state]
struct Page { text: String }

fn main() {}
