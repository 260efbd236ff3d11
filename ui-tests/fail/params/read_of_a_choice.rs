use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node] fn read(_: A, _last: Latest<Either<A, B>>) -> B { B {} }

fn main() {}
