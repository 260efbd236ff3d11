use pravah_runtime::prelude::*;

#[state] struct Notes { words: u32 }
#[state] struct Draft {}

#[agent(model = "openai://m", output = Draft, preamble = "You write {notes.words} words.")]
fn write(notes: &Notes) -> String { notes.words.to_string() }

/// You write about {notes}.
#[agent(model = "openai://m", output = Draft)]
fn sketch(notes: &Notes) -> String { notes.words.to_string() }

fn main() {}
