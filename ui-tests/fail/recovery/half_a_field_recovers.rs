use pravah_runtime::prelude::*;

#[state]
struct Question { text: String }

#[state]
struct Answer { text: String, sources: }

#[node]
fn reply(question: &Question) -> Answer { Answer { text: question.text.clone() } }

#[node]
fn check(answer: Answer) -> Question { Question { text: answer.text } }

#[flow]
fn ask(question: Question) -> Question { flow! { reply -> check } }

fn main() {}
