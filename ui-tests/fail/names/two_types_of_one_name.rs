use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
mod other {
    use pravah_runtime::prelude::*;
    #[state] pub struct A {}
}
#[node] fn read(_: A) -> B { B {} }
#[node] fn write(_: B) -> other::A { other::A {} }

#[flow]
fn story(a: A) -> other::A { flow! { read -> write } }

fn main() {}
