use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] struct Draft {}
#[state] struct Remarks {}
#[state] struct Post {}

#[node] fn review(_: Draft) -> Either<Post, Remarks> { todo!() }
#[node] fn revise(_: Remarks) -> Draft { Draft {} }

#[flow]
fn blog(t: Topic) -> Post { flow! { review -> either(done, revise -> join(review)) } }

fn main() {}
