use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] #[derive(Clone)] struct Draft {}
#[state] struct Note {}
#[state] struct Page {}

mod other { use pravah_runtime::prelude::*; #[state] pub struct Draft {} }

#[node] fn write(_: Topic) -> Draft { Draft {} }
#[node] fn check(_: Draft) -> Note { Note {} }
#[node] fn publish(_: Note, _draft: Latest<other::Draft>) -> Page { Page {} }

#[flow]
fn post(topic: Topic) -> Page { flow! { write -> check -> publish } }

fn main() {}
