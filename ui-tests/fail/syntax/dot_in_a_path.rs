use pravah_runtime::prelude::*;

mod nodes {
    use pravah_runtime::prelude::*;

    #[state] pub struct A {}
    #[state] pub struct B {}
    #[node] pub fn read(_: A) -> B { B {} }
}

#[flow]
fn story(a: nodes::A) -> nodes::B { flow! { nodes.read } }

fn main() {}
