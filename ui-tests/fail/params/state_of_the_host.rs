use pravah_runtime::prelude::*;

#[state] struct A { n: u32 }
#[state] struct B { n: u32 }
struct Db;

#[node]
fn one(a: A, db: State<Db>) -> B { B { n: a.n } }

fn main() {}
