use pravah_runtime::prelude::*;

const VISITS: u32 = 0;

#[state] struct A {}
#[state] struct B {}
#[node(max_visits = VISITS)] fn read(_: A) -> B { B {} }

fn main() {}
