use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

fn read(_: A) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { read } }

#[flow(named)]
fn tale(a: A) -> B { flow! { story } }

async fn tell() -> Result<B, FlowError> { story(A {}, Context::default()).await }

fn main() {}
