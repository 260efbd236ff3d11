use pravah_runtime::prelude::*;

#[state] struct A {}
mod x { #[pravah_runtime::node] pub(crate) fn a(a: super::A) -> super::A { a } }
mod y { #[pravah_runtime::node] pub(crate) fn a(a: super::A) -> super::A { a } }
#[node] fn a(a: A) -> A { a }
#[node] fn z(a: A) -> A { a }
#[flow] fn inner(input: A) -> A { flow! { a -> z } }

#[flow(named)]
fn story(input: A) -> A { flow! { x::a -> y::a -> inner as x } }

fn main() {}
