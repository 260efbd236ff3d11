use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] #[derive(Clone)] struct Draft {}
#[state] struct Note {}
#[state] struct Page {}

struct Pool;

#[node] fn publish(_: Note, _pool: Latest<Pool>) -> Page { Page {} }

fn main() {}
