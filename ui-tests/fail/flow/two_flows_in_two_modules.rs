use pravah_runtime::prelude::*;

#[state] pub struct A {}
#[state] pub struct B {}
#[node] fn read(_: A) -> B { B {} }

mod one { use super::*; #[flow] fn story(a: A) -> B { flow! { read } } }
mod two { use super::*; #[flow] fn other(a: A) -> B { flow! { read } } }

fn main() {}
