use pravah_runtime::prelude::*;

#[state] struct Draft {}
#[state] struct Post {}

#[gate("Publish it?")]
fn publish(_: Draft, _: bool) -> Post { todo!() }

fn main() {}
