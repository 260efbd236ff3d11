use pravah_runtime::prelude::*;
#[state] struct T {} #[state] struct D {} #[state] struct N {} #[state] struct P {} #[state] struct I {} #[state] struct Q {}
#[node] fn write(_: &T) -> D { D {} }
#[node] fn judge(_: D) -> N { N {} }
#[node] fn publish(_: N, _d: Latest<D>) -> P { P {} }

// loop: reader is the maker (after the input counts), and a maker in a catch
#[node] fn again(_: N, _d: Latest<D>) -> Either<D, P> { Either::Right(P {}) }
#[flow(named)] fn f(d: D) -> P { flow! { judge -> again -> either(judge, done) } }
// both alternatives make D
#[node] fn pick(_: T) -> Either<Q, I> { Either::Left(Q {}) }
#[node] fn q(_: Q) -> D { D {} }
#[node] fn i(_: I) -> D { D {} }
#[flow(named)] fn g(t: T) -> P { flow! { pick -> either(q, i) -> judge -> publish } }
// choice makes D itself as an output
#[node] fn pick2(_: T) -> Either<D, N> { Either::Left(D {}) }
#[node] fn n2(_: N) -> D { D {} }
#[flow(named)] fn h(t: T) -> P { flow! { pick2 -> either(judge, n2 -> judge) -> publish } }

pub fn main() {}
