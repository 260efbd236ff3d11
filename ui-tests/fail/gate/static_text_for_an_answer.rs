use pravah_runtime::prelude::*;

#[state] struct Draft {}
#[state] struct Page {}

#[gate(prompt = "Title?")]
fn title(_: Draft, title: &'static str) -> Page { Page {} }

fn main() {}
