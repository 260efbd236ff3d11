use pravah_runtime::prelude::*;

#[state] struct B {}

#[choice]
enum Which<T> { B(B), T(T) }

fn main() {}
