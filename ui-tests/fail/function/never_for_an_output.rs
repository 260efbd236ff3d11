use pravah_runtime::prelude::*;

#[state] struct A {}

#[node]
fn read(_: A) -> ! { loop {} }

fn main() {}
