use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] #[derive(Clone)] struct Draft {}
#[state] struct Note {}
#[state] struct Page {}

#[node] fn unpack(_: Topic) -> Each<Note> { Each::from(vec![]) }
#[node] fn sort(_: Note) -> Either<Draft, Topic> { Either::Left(Draft {}) }
#[node] fn check(_: Draft) -> Page { Page {} }
#[node] fn skip(_: Topic) -> Page { Page {} }
#[node] fn publish(page: Page, _draft: Latest<Draft>) -> Page { page }

#[flow]
fn post(topic: Topic) -> Each<Page> { flow! { unpack -> each(sort -> either(check, skip) -> publish) } }

fn main() {}
