use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] #[derive(Clone)] struct Draft {}
#[state] struct Note {}
#[state] struct Page {}

#[node] fn split(_: Topic) -> (Note, Page) { (Note {}, Page {}) }
#[node] fn write(_: Note) -> Draft { Draft {} }
#[node] fn check(_: Page, _draft: Latest<Draft>) -> Page { Page {} }
#[node] fn finish(_: Draft, page: Page) -> Page { page }
#[node] fn first(_: Topic) -> Draft { Draft {} }
#[node] fn again(_: Draft) -> Topic { Topic {} }

#[flow]
fn post(topic: Topic) -> Page { flow! { first -> again -> split -> fork(write, check) -> join(finish) } }

fn main() {}
