use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
#[node] fn one(a: A) -> B { B { n: a.n } }

#[flow]
fn story(a: A) -> B {
    flow! {
        /// Counts.
        one
    }
}

fn main() {}
