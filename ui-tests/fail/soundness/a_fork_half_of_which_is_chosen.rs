use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[state] struct F {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn b(_: B) -> Either<D, E> { Either::Left(D {}) }
#[node] fn c(_: C) -> Either<F, Paper> { Either::Left(F {}) }
#[node] fn mix(_: D, _: F) -> End { End {} }
#[node] fn nix(_: E, _: Paper) -> End { End {} }
#[state] struct Paper {}
#[state] struct End {}

#[flow]
fn story(a: A) -> End { flow! { split -> fork(b -> either(join(mix), join(nix)), c -> either(join(mix), join(nix))) } }

fn main() {}
