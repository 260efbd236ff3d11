use pravah_runtime::prelude::*;

#[state] struct Question { text: String }
#[state] struct Report { text: String }

#[node(on_done = wait)]
fn write(question: &Question) -> Report { Report { text: question.text.clone() } }

fn main() {}
