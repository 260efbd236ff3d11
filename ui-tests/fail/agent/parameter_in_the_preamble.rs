use pravah_runtime::prelude::*;

#[state] struct Notes { words: u32 }
#[state] struct Draft {}

#[agent(model = "openai://m", output = Draft, preamble = "You write {notes.words} words.")]
fn write(notes: &Notes) -> String { notes.words.to_string() }

fn main() {}
