use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }
struct Desk;
impl Desk {
    #[flow]
    fn story(a: A) -> B { flow! { read } }
}

fn main() {}
