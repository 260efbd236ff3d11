use pravah_runtime::prelude::*;

#[state] struct Draft {}
#[state] struct Opinion {}
#[state] struct Verdict {}

#[node] fn decide(_opinions: [Opinion; 2]) -> Verdict { Verdict {} }

fn main() {}
