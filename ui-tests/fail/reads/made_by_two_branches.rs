use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] #[derive(Clone)] struct Draft {}
#[state] struct Note {}
#[state] struct Page {}

#[node] fn left(_: &Topic) -> Draft { Draft {} }
#[node] fn right(_: &Topic) -> Draft { Draft {} }
#[node] fn meet(_: Draft, _: Draft) -> Note { Note {} }
#[node] fn publish(_: Note, _draft: Latest<Draft>) -> Page { Page {} }

#[flow]
fn post(topic: Topic) -> Page { flow! { fork(left, right) -> join(meet) -> publish } }

fn main() {}
