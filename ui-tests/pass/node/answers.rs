use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[gate(prompt = "Which, and why?")] fn pick(_: A, answer: (bool, String)) -> B { drop(answer); B {} }
#[gate(prompt = "Seen?")] fn see(_: &B, _seen: ()) -> C { C {} }
#[gate(prompt = "Why?")] fn why(_: C, _text: &Option<String>, _ctx: Context) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { pick -> see -> why } }

pub fn main() {}
