//! Ours: a node that chooses whether it runs again.

use pravah_runtime::prelude::*;

use super::STEPS;

#[state]
struct Count {
    n: u64,
}

#[state]
struct End {
    n: u64,
}

#[node(max_visits = 1_000_000)]
fn count(count: &Count) -> Either<Count, End> {
    match count.n + 1 {
        n @ ..STEPS => Either::Left(Count { n }),
        n => Either::Right(End { n }),
    }
}

#[flow]
fn counting(count: Count) -> End {
    flow! { count -> either(count, done) }
}

pub async fn run() {
    let mut run = FlowRuntime::new(Count { n: 0 }).expect("a run");
    run.run(Context::default()).await.expect("an output");
}
