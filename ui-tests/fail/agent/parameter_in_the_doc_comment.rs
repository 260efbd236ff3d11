use pravah_runtime::prelude::*;

#[state] struct Notes { words: u32 }
#[state] struct Draft {}

/// You write about {notes}.
#[agent(model = "openai://m", output = Draft)]
fn sketch(notes: &Notes) -> String { notes.words.to_string() }

fn main() {}
