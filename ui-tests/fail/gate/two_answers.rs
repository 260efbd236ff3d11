use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Note(String);

#[gate(prompt = "Go on?")]
fn ask(_: A, _: Note, _: bool) -> B { B {} }

fn main() {}
