use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }

struct Flows;

impl Flows {
    #[flow]
    fn story(a: A) -> B { flow! { read } }
}

async fn tell() -> Result<B, FlowError> { Flows::story(A {}, Context::default()).await }

fn main() {}
