use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node] fn read(a: A) -> A { a }
#[node] fn write(_: A) -> B { B {} }
#[flow] fn story(a: A) -> B { flow! { read -> write } }

fn restore(snapshot: FlowSnapshot) -> Result<FlowRuntime<B>, FlowError> {
    FlowRuntime::<B>::from_snapshot(snapshot)
}

fn main() { let _restore = restore; }
