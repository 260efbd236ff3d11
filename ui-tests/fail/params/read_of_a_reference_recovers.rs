use pravah_runtime::prelude::*;

#[state] struct Topic {}
#[state] struct Draft {}
#[state] struct Page {}

#[node] fn write(_: Topic) -> Draft { Draft {} }
#[gate(prompt = "Publish?")] fn publish(_: Draft, _topic: Input<&Topic>, _yes: bool) -> Page { Page {} }
#[flow] fn post(topic: Topic) -> Page { flow! { write -> publish } }

fn main() {}
