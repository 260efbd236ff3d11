use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
trait Repo {}

#[node]
fn read(_: A, _: Dep<dyn Repo>) -> B { B {} }

fn main() {}
