use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
#[state] struct C {}
#[node] fn r#match(a: A) -> Either<B, A> { if a.n > 0 { Either::Left(B { n: a.n }) } else { Either::Right(a) } }
#[node] fn read(_: B) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { r#match -> either(read, r#match); r#read -> done } }

#[flow(named)]
fn r#loop(a: A) -> C { flow! { r#match -> either(read, r#match); r#read -> done } }

pub fn main() {}
