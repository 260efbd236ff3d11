use pravah_runtime::prelude::*;

#[state] struct Draft {}
#[state] struct Words {}
#[state] struct Reply {}
#[node] fn rescue(_: Failure<Draft, Words>) -> Reply { Reply {} }

fn main() {}
