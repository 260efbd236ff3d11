use pravah_runtime::prelude::*;

struct Inner;

#[state]
struct A { inner: Inner }

fn main() {}
