use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[choice]
enum Way {
    A(A),
    #[cfg(any())]
    B(B),
}

fn main() {}
