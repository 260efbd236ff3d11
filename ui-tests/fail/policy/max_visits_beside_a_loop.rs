use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node(max_visits = 3)] fn plan(_: A) -> B { B {} }
#[node(max_visits = 3)] fn review(_: B) -> Either<C, D> { Either::Left(C {}) }
#[node] fn revise(_: D) -> B { B {} }

#[flow]
fn story(a: A) -> C {
    flow! { plan -> review -> either(done, revise); revise -> review }
}

fn main() {}
