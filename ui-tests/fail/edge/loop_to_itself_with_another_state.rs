use pravah_runtime::prelude::*;

#[state] struct Job {}
#[state] struct Finished {}
#[state] struct Waiting {}

#[node] fn poll(_: Job) -> Either<Finished, Waiting> { todo!() }

#[flow] fn wait(job: Job) -> Finished { flow! { poll -> either(done, poll) } }

fn main() {}
