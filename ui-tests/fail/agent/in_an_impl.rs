use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

struct Nodes;

impl Nodes {
    #[agent(model = "openai://gpt-4o-mini", preamble = "Triage.", output = B)]
    fn triage(_: &A) -> String { String::new() }
}

fn main() {}
