use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] struct Draft {}
#[state] struct Plan {}
#[state] struct Remarks {}
#[state] struct Post {}

#[node] fn write(_: Topic) -> Draft { Draft {} }
#[node] fn review(_: Either<Plan, Remarks>) -> Either<Post, Remarks> { todo!() }

#[flow]
fn blog(t: Topic) -> Post { flow! { write -> join(review) -> either(done, join(review)) } }

fn main() {}
