use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct S1 {}    #[state] struct S2 {}
#[state] struct S3 {}    #[state] struct S4 {}
#[state] struct S5 {}    #[state] struct S6 {}
#[state] struct S7 {}    #[state] struct S8 {}
#[state] struct S9 {}    #[state] struct S10 {}
#[state] struct S11 {}    #[state] struct S12 {}
#[state] struct S13 {}

#[node]
fn split(_: A) -> (S1, S2, S3, S4, S5, S6, S7, S8, S9, S10, S11, S12, S13) { loop {} }

fn main() {}
