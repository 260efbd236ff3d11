use pravah_runtime::prelude::*;

#[state(reducer = "append")]
struct Messages { texts: Vec<String> }

fn main() {}
