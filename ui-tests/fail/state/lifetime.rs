use pravah_runtime::prelude::*;

#[state]
struct Page<'a> { text: &'a str }

fn main() {}
