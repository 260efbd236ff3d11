use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] #[derive(Clone)] struct Draft {}
#[state] struct Note {}
#[state] struct Page {}

#[node] fn write(_: Topic, _draft: Latest<Draft>) -> Draft { Draft {} }
#[node] fn publish(_: Draft) -> Page { Page {} }

#[flow]
fn post(topic: Topic) -> Page { flow! { write -> publish } }

fn main() {}
