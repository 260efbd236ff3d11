use pravah_runtime::prelude::*;

#[state] struct Book {}
#[state] struct Page {}
#[state] struct Report {}
#[node] fn split(_: Book) -> Each<Page> { vec![Page {}].into() }
#[node] fn bind(_: Each<Page>) -> Report { Report {} }
#[flow] fn read(book: Book) -> Report { flow! { each(split) -> bind } }

fn main() {}
