use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }

fn inside() {
    #[state] struct B {}
    #[state] struct C {}
    #[node] fn write(_: B) -> C { C {} }

    #[flow]
    fn story(a: A) -> C { flow! { read -> write } }
}

fn main() {}
