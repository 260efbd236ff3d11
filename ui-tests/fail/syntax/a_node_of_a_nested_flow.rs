use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn write(_: B) -> C { C {} }
#[node] fn rescue(_: Failure<A>) -> C { C {} }

#[flow]
fn inner(a: A) -> B { flow! { read } }

#[flow(named)]
fn story(a: A) -> C { flow! { inner -> write; catch(inner::read) -> rescue } }

fn main() {}
