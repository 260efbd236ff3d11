use pravah_runtime::prelude::*;

#[state] struct Ticket { lines: Vec<Line> }

fn main() {}
