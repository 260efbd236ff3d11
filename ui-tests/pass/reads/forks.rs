use pravah_runtime::prelude::*;
#[state] struct T {} #[state] struct D {} #[state] struct N {} #[state] struct P {} #[state] struct I {} #[state] struct Q {}
#[node] fn write(_: &T) -> D { D {} }
#[node] fn judge(_: D) -> N { N {} }
#[node] fn publish(_: N, _d: Latest<D>) -> P { P {} }

// makers beside each other, and one after both; a fork that starts the flow
#[node] fn a(_: &T) -> D { D {} }
#[node] fn b(_: &T) -> D { D {} }
#[node] fn meet(_: D, _: D) -> D { D {} }
#[flow(named)] fn f(t: T) -> P { flow! { fork(a, b) -> join(meet) -> judge -> publish } }
// reader in one branch of what that branch makes
#[node] fn w(_: &T) -> D { D {} }
#[node] fn q(_: &T) -> Q { Q {} }
#[node] fn m2(_: P, _: Q) -> I { I {} }
#[flow(named)] fn g(t: T) -> I { flow! { fork(w -> judge -> publish, q) -> join(m2) } }
// the join itself returns what it reads
#[node] fn m3(_: P, _: Q, _p: Latest<P>) -> I { I {} }
#[flow(named)] fn h(t: T) -> I { flow! { fork(w -> judge -> publish, q) -> join(m3) } }
// fork tuple outputs read by both branches
#[node] fn split(_: T) -> (D, Q) { (D {}, Q {}) }
#[node] fn j(_: &D, _q: Latest<Q>, _d: Latest<D>) -> N { N {} }
#[node] fn qq(_: &Q, _d: Latest<D>, _q: Latest<Q>) -> I { I {} }
#[node] fn m4(_: N, _: I, _d: Latest<D>) -> P { P {} }
#[flow(named)] fn k(t: T) -> P { flow! { split -> fork(j, qq) -> join(m4) } }

pub fn main() {}
