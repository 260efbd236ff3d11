use pravah_runtime::prelude::*;

#[state] struct Page<'a> { title: &'a str, tags: Vec<&'a str> }
#[state] struct Read {}
#[node] async fn read(_: Page) -> Read { Read {} }
#[flow] fn reader(page: Page) -> Read { flow! { read } }

fn main() {}
