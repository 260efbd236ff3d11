use pravah_runtime::prelude::*;

#[state(manual)]
struct Page { text: String }

fn main() {}
