use pravah_runtime::prelude::*;

#[state] struct Draft {}
#[state] struct Opinion {}
#[state] struct Verdict {}

#[node] fn style(_: &Draft) -> Opinion { Opinion {} }
#[node] fn facts(_: &Draft) -> Opinion { Opinion {} }
#[node] fn decide(_opinions: &[Opinion; 2]) -> Verdict { Verdict {} }
#[flow] fn review(draft: Draft) -> Verdict { flow! { fork(style, facts) -> join(decide) } }

fn main() {}
