use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

struct Author { name: String }

#[state]
struct Page { author: Author }

#[node] fn read(page: Page) -> B { let _ = page.clone(); B {} }

#[flow]
fn story(page: Page) -> B { flow! { read } }

fn start(author: Author) -> Result<FlowRuntime<Page>, FlowError> { FlowRuntime::new(Page { author }) }

fn main() {}
