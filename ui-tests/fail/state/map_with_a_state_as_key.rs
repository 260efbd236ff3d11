use pravah_runtime::prelude::*;
use std::collections::HashMap;

#[state]
struct Item { name: String }

#[state]
struct Stock { counts: HashMap<Item, u32> }

fn main() {}
