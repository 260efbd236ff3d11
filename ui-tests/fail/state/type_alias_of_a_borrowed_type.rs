use pravah_runtime::prelude::*;

#[state] type Question<'a> = &'a str;

fn main() {}
