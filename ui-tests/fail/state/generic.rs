use pravah_runtime::prelude::*;

#[state]
struct Page<T> { items: Vec<T> }

fn main() {}
