use pravah_runtime::prelude::*;

#[state] struct Draft {}
#[state] struct Titled { title: Option<String> }
#[gate(prompt = "Which title?")]
fn title(_: Draft, answer: Option<&str>) -> Titled { Titled { title: answer.map(str::to_owned) } }
#[flow] fn write(draft: Draft) -> Titled { flow! { title } }

fn main() {}
