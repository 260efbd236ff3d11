use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[choice] enum Verdict { Yes(A), No(B) }
#[node] fn judge(a: A) -> Verdict { Verdict::Yes(a) }

#[flow]
fn story(a: A) -> Verdict { flow! { judge -> either(done, done) } }

fn main() {}
