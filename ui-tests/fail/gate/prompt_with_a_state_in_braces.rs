use pravah_runtime::prelude::*;

#[state] struct Draft { title: String }
#[state] struct B {}

#[gate(prompt = "Publish {draft.title}?")]
fn ask(draft: Draft, yes: bool) -> B { let _ = (draft, yes); B {} }

fn main() {}
