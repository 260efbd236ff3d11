use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

macro_rules! reader {
    ($name:ident, $read:ty) => { #[node] fn $name(_: A, _: Latest<$read>) -> B { B {} } };
}

reader!(read, &B);

fn main() {}
