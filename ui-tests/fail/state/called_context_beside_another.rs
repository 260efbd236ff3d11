use pravah_runtime::prelude::{node, state};

#[state] struct A {}
#[state] struct Context { text: String }
#[state] struct B {}

#[node]
fn read(_: A, _: Context) -> B { B {} }

fn main() {}
