use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] #[derive(Clone)] struct Draft {}
#[state] struct Note {}
#[state] struct Page {}

#[node] fn check(_: Topic) -> Note { Note {} }
#[node] fn publish(_: Note, _draft: Latest<Draft>) -> Page { Page {} }

#[flow]
fn post(topic: Topic) -> Page { flow! { check -> publish } }

fn main() {}
