use pravah_runtime::prelude::*;


#[state] struct A {}
#[state] struct B {}
mod nodes {
    use super::*;
    #[node] pub fn spell(a: A) -> A { a }
}
#[node] fn expand(a: A) -> A { a }
#[node] fn close(_: A) -> B { B {} }

#[flow]
fn story(a: A) -> B {
    flow! { nodes::spell -> expand -> nodes::spell as proofread; proofread -> close }
}

pub fn main() {}
