use pravah_runtime::prelude::*;

#[state] struct Notes { words: u32 }
#[state] struct Draft {}

/// You write.
#[agent(model = "openai://m", output = Draft)]
fn write(notes: &Notes);

fn main() {}
