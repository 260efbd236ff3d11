use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] struct Draft {}
#[state] struct Note {}
#[state] struct Page {}

#[node] fn write(_: &Topic) -> Draft { Draft {} }
#[node] fn check(_: &Topic, _draft: Latest<Draft>) -> Note { Note {} }
#[node] fn publish(_: Draft, _: Note) -> Page { Page {} }

#[flow]
fn post(topic: Topic) -> Page { flow! { fork(write, check) -> join(publish) } }

fn main() {}
