use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[derive(Clone)]
#[state]
struct Page { text: String }

#[node] fn read(page: Page) -> B { let _ = page.clone(); B {} }

#[flow]
fn story(page: Page) -> B { flow! { read } }

fn main() {}
