use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] #[derive(Clone)] struct Draft {}
#[state] struct Note {}
#[state] struct Page {}

mod other { use pravah_runtime::prelude::*; #[state] pub struct Draft {} }

#[node] fn unpack(_: Draft) -> Each<Note> { Each::from(vec![]) }
#[node] fn check(_: Note, _draft: Latest<other::Draft>) -> Page { Page {} }
#[node] fn join(_: Each<Page>) -> Topic { Topic {} }

#[flow]
fn post(draft: Draft) -> Topic { flow! { unpack -> each(check) -> join } }

fn main() {}
