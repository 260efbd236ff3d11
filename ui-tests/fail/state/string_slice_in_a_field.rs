use pravah_runtime::prelude::*;

#[state]
struct Draft { title: &'static str }

fn main() {}
