use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn tell(_: B) -> C { C {} }

#[flow]
fn story(a: A) -> C {
    flow { read -> tell }
}

async fn start(a: A) -> Result<C, FlowError> {
    story(a, Context::default()).await
}

fn main() {}
