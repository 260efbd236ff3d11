use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] struct Draft {}
#[state] struct Note {}
#[state] struct Page {}

#[node] fn write(_: Topic) -> Draft { Draft {} }
#[node] fn check(_: Draft) -> Note { Note {} }
#[node] fn publish(_: Note, _draft: &Draft) -> Page { Page {} }

#[flow]
fn post(topic: Topic) -> Page { flow! { write -> check -> publish } }

fn main() {}
