use pravah_runtime::prelude::*;

#[state] pub struct A {}
#[state] pub struct C {}
mod nodes {
    use super::*;
    #[state] struct B {}
    #[node] pub fn read(_: A) -> B { B {} }
    #[node] pub fn write(_: &B) -> C { C {} }
}
use nodes::{read, write};

#[flow]
fn story(a: A) -> C { flow! { read -> write } }

pub fn main() {}
