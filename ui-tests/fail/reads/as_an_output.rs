use pravah_runtime::prelude::*;

#[state] struct Note {}
#[state] struct Draft {}

#[node] fn publish(_: Note, draft: Latest<Draft>) -> Latest<Draft> { draft }

fn main() {}
