use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
struct Desk;
impl Desk {
    #[agent(model = "openai://gpt-4o-mini", preamble = "You answer.", output = B)]
    fn answer(_: &A) -> String { String::new() }
}

fn main() {}
