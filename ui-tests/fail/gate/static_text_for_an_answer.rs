use pravah_runtime::prelude::*;

#[state] struct Draft {}
#[state] struct Page {}

#[gate(prompt = "Title?")]
fn title(_: Draft, _title: &'static str) -> Page { Page {} }

fn main() {}
