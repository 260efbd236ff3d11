use std::borrow::Cow;

use pravah_runtime::prelude::*;

#[state] struct Page { title: Cow<str>, tags: Vec<String> }
#[state] struct Read {}
#[node] fn read(_: Page) -> Read { Read {} }

fn main() {}
