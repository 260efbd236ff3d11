use pravah_runtime::prelude::*;

#[state] struct Draft {}
#[state] struct Page {}

#[node] fn rewrite(_: Draft) -> Result<Page, FlowError> { Ok(Page {}) }
#[node] fn publish(page: Page) -> Page { page }
#[flow] fn post(draft: Draft) -> Page { flow! { rewrite -> publish; catch(rewrite) -> publish } }

fn main() {}
