use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] struct Draft {}
#[state] struct Page {}
#[node] fn list(_: Topic) -> Each<Draft> { Each::from(vec![]) }
#[node] fn publish(_: Draft) -> Page { Page {} }
#[node] fn sum(page: Page) -> Page { page }

#[flow]
fn story(t: Topic) -> Page { flow! { list -> each(publish) -> sum } }

fn main() {}
