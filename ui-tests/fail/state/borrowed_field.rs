use pravah_runtime::prelude::*;

#[state]
struct Draft { title: &str }

fn main() {}
