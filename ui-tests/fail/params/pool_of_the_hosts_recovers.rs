use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
struct Pool;

#[node] fn read(_: A, _: Pool, _: Context) -> B { B {} }
#[node] async fn rescue(_: Failure<A>, _: Dep<Pool>) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { read -> done; catch(read) -> rescue } }

fn main() {}
