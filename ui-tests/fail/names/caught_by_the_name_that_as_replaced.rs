use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn write(_: A) -> B { B {} }
#[node] fn tidy(b: B) -> Result<B, FlowError> { Ok(b) }
#[node] fn rescue(failure: Failure<B>) -> B { failure.input }

#[flow]
fn story(a: A) -> B { flow! { write -> tidy as clean -> done; catch(tidy) -> rescue -> done } }

fn main() {}
