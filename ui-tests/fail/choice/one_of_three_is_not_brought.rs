use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[choice] enum Any { B(B), C(C), D(D) }

#[node] fn pick(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn mix(_: Any) -> D { D {} }

#[flow] fn story(a: A) -> D { flow! { pick -> either(join(mix), join(mix)) } }

fn main() {}
