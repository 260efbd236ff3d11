use pravah_runtime::prelude::*;
use std::collections::BTreeSet;

#[state]
struct Item { name: String }

#[state]
struct Stock { items: BTreeSet<Item> }

fn main() {}
