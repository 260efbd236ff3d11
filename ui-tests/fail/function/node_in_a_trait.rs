use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
trait Desk {
    #[node]
    fn read(_: A) -> B { B {} }
}

fn main() {}
