use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[choice]
#[serde(rename = "my::Way")]
enum Way { A(A), B(B) }

fn main() {}
