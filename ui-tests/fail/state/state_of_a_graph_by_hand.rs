use pravah_runtime::prelude::*;

struct Mail {}
#[state] struct Filed {}

fn graph() -> Result<FlowGraph, FlowError> {
    let filed = FlowGraph::builder().work::<Mail, Filed, _, _>(|_, _| async { Ok(Filed {}) });
    filed.build()
}

fn main() {}
