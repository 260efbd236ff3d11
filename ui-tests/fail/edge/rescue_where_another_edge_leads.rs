use pravah_runtime::prelude::*;

#[state] struct Draft {}
#[state] struct Page {}

#[node] fn rewrite(_: Draft) -> Result<Page, FlowError> { Ok(Page {}) }
#[node] fn publish(_: Failure<Draft>) -> Page { Page {} }
#[flow] fn post(draft: Draft) -> Page { flow! { rewrite -> publish; catch(rewrite) -> publish } }

fn main() {}
