use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { read } }

struct Log;
fn watched(run: FlowRuntime<A>) -> FlowRuntime<A> {
    run.with_observer(Log)
}

fn main() {}
