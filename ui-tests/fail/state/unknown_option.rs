use pravah_runtime::prelude::*;

#[state(manuel(Serialize))]
struct Page { text: String }

fn main() {}
