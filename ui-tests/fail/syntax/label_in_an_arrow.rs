use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
#[node] fn judge(a: A) -> Either<B, A> { Either::Left(B { n: a.n }) }

#[flow]
fn story(a: A) -> B { flow! { judge -[Left]-> done } }

fn main() {}
