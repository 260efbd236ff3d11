use pravah_runtime::prelude::*;

#[state] struct A { text: String }
#[state] struct B {}

#[gate(prompt = format!("{} or {answer}?", a.text))]
fn ask(a: A, answer: u32, _: Context) -> B { drop((a, answer)); B {} }

fn main() {}
