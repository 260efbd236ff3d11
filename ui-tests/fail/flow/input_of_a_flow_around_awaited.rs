use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Verdict {}
#[state] struct Reply {}

#[node] fn answer(_: Verdict, _ticket: Input<Ticket>) -> Reply { Reply {} }
#[flow] fn reply(verdict: Verdict) -> Reply { flow! { answer } }

async fn run(verdict: Verdict) -> Result<Reply, FlowError> {
    reply(verdict, Context::default()).await
}

fn main() { let _run = run(Verdict {}); }
