use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn mend(_: C) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { read; catch(read) -> mend } }

fn main() {}
