use pravah_runtime::prelude::*;

#[state] struct Ticket {}
#[state] struct Verdict {}
#[state] struct Reply {}

#[node] fn answer(_: Verdict, _ticket: Input<Ticket>) -> Reply { Reply {} }

#[flow(named)] fn reply(verdict: Verdict) -> Reply { flow! { answer } }
#[flow(named)] fn around(verdict: Verdict) -> Reply { flow! { reply } }

fn main() { let _reply = around(Verdict {}, Context::default()); }
