use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] struct Draft {}
#[state] struct Approved {}
#[state] struct Remarks {}
#[state] struct Post {}

#[node] fn write(_: Topic) -> Draft { Draft {} }
#[node] fn review(_: Draft) -> Either<Approved, Remarks> { todo!() }
#[node] fn publish(_: Approved) -> Post { Post {} }

#[flow] fn blog(topic: Topic) -> Post { flow! { write -> review -> either(publish, review) } }

fn main() {}
