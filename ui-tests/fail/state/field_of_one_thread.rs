use pravah_runtime::prelude::*;

#[state]
struct Page { words: std::cell::RefCell<u32> }

fn main() {}
