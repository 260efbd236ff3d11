use pravah_runtime::prelude::*;

#[state] struct Draft {}
#[state] struct Page {}
#[gate(prompt = "Publish?")] fn approve(yes: bool) -> Page { let _ = yes; Page {} }

#[flow]
fn story(draft: Draft) -> Page { flow! { approve } }

fn main() {}
