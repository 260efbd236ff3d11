use pravah_runtime::prelude::*;

#[state] struct Mail {}
#[state] struct Filed {}

#[agent(model = "openai://m", preamble = "File it.", output = Filed)]
fn file(_: &Mail) -> String { String::new() }

fn graph() -> Result<FlowGraph, FlowError> {
    FlowGraph::builder().agent::<file>().build()
}

fn main() {}
