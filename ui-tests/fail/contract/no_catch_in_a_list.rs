use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[agent(model = "openai://gpt-4o-mini", preamble = "You decide.", output = B, contract)]
fn ask(_: &A) -> String { String::new() }
#[state] struct Day {}
#[state] struct Night {}
#[node] fn open(_: Day) -> Each<A> { Each::from(vec![]) }
#[node] fn shut(_: Each<B>) -> Night { Night {} }

#[flow]
fn story(day: Day) -> Night { flow! { open -> each(ask) -> shut } }

fn main() {}
