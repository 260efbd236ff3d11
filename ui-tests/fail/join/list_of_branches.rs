use pravah_runtime::prelude::*;

#[state] struct Draft {}
#[state] struct Review {}
#[state] struct Report {}
#[node] fn style(_: &Draft) -> Review { Review {} }
#[node] fn facts(_: &Draft) -> Review { Review {} }
#[node] fn sum(_: Each<Review>) -> Report { Report {} }
#[flow] fn review(draft: Draft) -> Report { flow! { fork(style, facts) -> join(sum) } }

fn main() {}
