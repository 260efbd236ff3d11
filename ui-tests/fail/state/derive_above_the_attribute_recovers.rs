use pravah_runtime::prelude::*;

#[derive(Clone)]
#[state]
struct Page { text: String }
#[state] struct Done {}

#[node]
fn print(_: Page) -> Done { Done {} }

#[flow]
fn go(page: Page) -> Done { flow! { print } }

async fn start(page: Page) -> Result<Done, FlowError> {
    go(page, Context::default()).await
}

fn main() {}
