use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[choice] enum Verdict { Good(B), Bad(A) }
#[node] fn judge(a: A) -> Verdict { Verdict::Bad(a) }
#[node] fn write(b: B) -> B { b }

#[flow]
fn story(a: A) -> B { flow! { judge -> either(Verdict::Good -> write, judge) } }

fn main() {}
