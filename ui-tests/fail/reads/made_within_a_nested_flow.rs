use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] #[derive(Clone)] struct Draft {}
#[state] struct Note {}
#[state] struct Page {}

#[node] fn write(_: Topic) -> Draft { Draft {} }
#[node] fn check(_: Draft) -> Note { Note {} }
#[node] fn publish(_: Note, _draft: Latest<Draft>) -> Page { Page {} }

#[flow(named)]
fn written(topic: Topic) -> Note { flow! { write -> check } }

#[flow(named)]
fn post(topic: Topic) -> Page { flow! { written -> publish } }

fn main() {}
