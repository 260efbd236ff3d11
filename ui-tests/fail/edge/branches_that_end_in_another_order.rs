use pravah_runtime::prelude::*;

#[state] struct Mail {}
#[state] struct Urgent {}
#[state] struct Reply {}
#[choice] enum Kind { Urgent(Urgent), Reply(Reply) }
#[node] fn sort(_: Mail) -> Kind { Kind::Reply(Reply {}) }
#[node] fn now(_: Urgent) -> Reply { Reply {} }

#[flow]
fn inbox(mail: Mail) -> Reply { flow! { sort -> either(done, now) } }

fn main() {}
