use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
struct Desk;
impl Desk {
    #[gate(prompt = "On?")]
    fn ask(_: &A, go: bool) -> B { drop(go); B {} }
}

fn main() {}
