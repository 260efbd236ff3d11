use pravah_runtime::prelude::*;

#[state] struct A {}

#[node]
fn read<T: State>(_: A) -> T { todo!() }

fn main() {}
