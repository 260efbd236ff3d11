use pravah_runtime::prelude::*;

#[state] pub struct A {}
#[state] pub struct B {}
#[state] pub struct C {}
mod one {
    use super::*;
    #[node] pub fn read(_: A) -> B { B {} }
}
mod other {
    use super::*;
    #[node] pub fn read(_: B) -> C { C {} }
}

#[flow]
fn story(a: A) -> C { flow! { one::read -> self::other::read } }

pub fn main() {}
