use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] #[derive(Clone)] struct Draft {}
#[state] struct Note {}
#[state] struct Page {}

#[node] fn publish(_draft: Latest<Draft>) -> Page { Page {} }

#[flow]
fn post(draft: Draft) -> Page { flow! { publish } }

fn main() {}
