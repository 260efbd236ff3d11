use pravah_runtime::prelude::*;

#[state] struct Topic { text: String }
#[state] struct Draft { text: String }
#[state] struct Told { text: String }

#[node] fn draft(topic: Topic) -> Draft { Draft { text: topic.text } }
#[node(max_visits = 3)] fn extend(topic: Topic) -> Draft { Draft { text: topic.text } }
#[node] fn review(draft: Draft) -> Either<Topic, Told> { Either::Right(Told { text: draft.text }) }

#[flow]
fn story(topic: Topic) -> Told {
    flow! { draft -> review as r#loop -> either(extend -> review, done) }
}

fn main() {}
