use pravah_runtime::prelude::*;

#[state] struct A {}

#[agent]
fn ask(_: &A) -> String { String::new() }

fn main() {}
