use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { read } }

fn watched(run: FlowRuntime<A>) -> FlowRuntime<A> {
    let mut seen = 0;
    run.with_observer(move |_| seen += 1)
}

fn main() {}
