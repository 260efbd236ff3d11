use pravah_runtime::prelude::*;

#[state] struct Answer { text: String }

/// You answer questions.
#[state]
#[agent(model = "openai://gpt-4o-mini", output = Answer)]
struct Question { text: String }

#[flow]
fn story(question: Question) -> Answer { flow! { Question } }

fn main() {}
