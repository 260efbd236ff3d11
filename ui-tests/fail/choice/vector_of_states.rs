use pravah_runtime::prelude::*;

#[state] struct Bug { line: u32 }
#[state] struct Nothing {}

#[choice]
enum Found { Bugs(Vec<Bug>), Nothing(Nothing) }

fn main() {}
