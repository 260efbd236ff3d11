use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[choice] enum Way { One(B), Two(C) }
#[node] fn pick(_: A) -> Way { Way::One(B {}) }
#[node] fn b(_: B) -> D { D {} }
#[node] fn c(_: C) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { pick -> either(c, b) } }

fn main() {}
