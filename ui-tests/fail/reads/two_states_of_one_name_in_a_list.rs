use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] #[derive(Clone)] struct Draft {}
#[state] struct Note {}
#[state] struct Page {}

mod other { use pravah_runtime::prelude::*; #[state] pub struct Draft {} }

#[node] fn unpack(_: Draft) -> Each<Note> { Each::from(vec![]) }
#[node] fn write(_: Note) -> other::Draft { other::Draft {} }
#[node] fn check(_: other::Draft, _draft: Latest<Draft>) -> Page { Page {} }
#[node] fn join(_: Each<Page>) -> Topic { Topic {} }

#[flow]
fn post(draft: Draft) -> Topic { flow! { unpack -> each(write -> check) -> join } }

fn main() {}
