use pravah_runtime::prelude::*;

#[state(manual(Serialise))]
struct Page { text: String }

fn main() {}
