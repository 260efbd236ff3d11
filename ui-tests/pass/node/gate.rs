use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn b(_: B) -> C { C {} }

#[gate(prompt = "Go on?")]
fn ask(_: A, yes: bool) -> Either<B, C> {
    if yes { Either::Left(B {}) } else { Either::Right(C {}) }
}

#[flow]
fn story(a: A) -> C { flow! { ask -> either(b, done) } }

pub fn main() {}
