use pravah_runtime::prelude::*;

#[state] struct Draft { text: String }
#[state] enum Decision { Publish, Drop }

#[gate(prompt = "Publish it?")]
fn decide(draft: &Draft) -> Decision {}

fn main() {}
