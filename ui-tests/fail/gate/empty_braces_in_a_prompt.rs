use pravah_runtime::prelude::*;

#[state] struct Reply { text: String }
#[state] struct Sent { text: String }

#[gate(prompt = "Send {}?")]
fn approve(reply: Reply, yes: bool) -> Sent { Sent { text: if yes { reply.text } else { String::new() } } }

fn main() {}
