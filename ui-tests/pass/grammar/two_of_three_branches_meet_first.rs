use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] struct Text {}
#[state] struct Art {}
#[state] struct Price {}
#[state] struct Page {}
#[state] struct Book {}

#[node] fn gather(_: Topic) -> (Text, Art, Price) { (Text {}, Art {}, Price {}) }
#[node] fn page(_: Text, _: Art) -> Page { Page {} }
#[node] fn book(_: Page, _: Price) -> Book { Book {} }

#[flow]
fn story(topic: Topic) -> Book {
    flow! { gather -> fork(join(page), join(page), join(book)); page -> join(book) }
}

pub fn main() {}
