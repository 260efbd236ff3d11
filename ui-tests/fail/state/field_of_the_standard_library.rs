use std::time::Instant;
use pravah_runtime::prelude::*;

#[state]
struct Visit { at: Instant }

fn main() {}
