use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }

mod desk {
    use super::*;

    #[agent(model = "openai://gpt-4o-mini", preamble = "You decide.", output = D, contract)]
    pub(super) fn ask(_: &B, _: &C) -> String { String::new() }
}

#[flow]
fn story(a: A) -> D { flow! { split -> fork(join(desk::ask), join(desk::ask)) } }

fn main() {}
