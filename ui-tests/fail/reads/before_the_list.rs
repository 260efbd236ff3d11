use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] #[derive(Clone)] struct Draft {}
#[state] struct Note {}
#[state] struct Page {}

#[node] fn unpack(_: Topic) -> Each<Note> { Each::from(vec![]) }
#[node] fn check(_: Note, _draft: Latest<Draft>) -> Page { Page {} }
#[node] fn join(_: Each<Page>) -> Draft { Draft {} }

#[flow]
fn post(topic: Topic) -> Draft { flow! { unpack -> each(check) -> join } }

fn main() {}
