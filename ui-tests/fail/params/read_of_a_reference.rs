use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] struct Draft {}
#[state] struct Page {}

#[node] fn write(_: Topic) -> Draft { Draft {} }
#[node] fn publish(_: Draft, _topic: Latest<&Topic>) -> Page { Page {} }

fn main() {}
