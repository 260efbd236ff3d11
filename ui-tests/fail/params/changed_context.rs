use pravah_runtime::prelude::*;

#[state] struct Mail {}
#[state] struct Filed {}

#[node]
fn file(_: Mail, _ctx: &mut Context) -> Filed { Filed {} }

fn main() {}
