use pravah_runtime::prelude::*;

#[state] struct Draft { text: String }
#[state] struct Merged { text: String }
#[state] struct Rework { text: String }
#[choice] enum Decision { Merge(Merged), Again(Rework) }

#[node]
fn decide(draft: Draft) -> Decision { Decision::Merge(Merged { text: draft.text }) }

#[node]
fn rework(decision: Decision) -> Merged {
    match decision {
        Decision::Merge(merged) => merged,
        Decision::Again(rework) => Merged { text: rework.text },
    }
}

#[flow] fn review(draft: Draft) -> Merged { flow! { decide -> either(done, rework) } }
fn main() {}
