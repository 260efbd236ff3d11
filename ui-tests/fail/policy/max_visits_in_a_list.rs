use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn list(_: A) -> Each<B> { Each::from(vec![]) }
#[node(max_visits = 3)] fn write(_: B) -> C { C {} }
#[node] fn sum(_: Each<C>) -> Either<D, A> { Either::Left(D {}) }

#[flow]
fn story(a: A) -> D {
    flow! { list -> each(write) -> sum -> either(done, list) }
}

fn main() {}
