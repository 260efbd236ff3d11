use pravah_runtime::prelude::*;

#[state] type Question = String;
#[state] struct Answer { text: String }
#[node] fn answer(question: &Question) -> Answer { Answer { text: format!("{question:?}") } }
#[flow] fn faq(question: Question) -> Answer { flow! { answer } }

fn main() {}
