use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
struct Desk;

impl Desk {
    fn read(_: A) -> B { B {} }
}

#[flow]
fn story(a: A) -> B { flow! { Desk::read } }

fn main() {}
