use pravah_runtime::prelude::*;
#[state] struct T {} #[state] struct D {} #[state] struct N {} #[state] struct P {} #[state] struct I {} #[state] struct Q {}
#[node] fn write(_: &T) -> D { D {} }
#[node] fn judge(_: D) -> N { N {} }
#[node] fn publish(_: N, _d: Latest<D>) -> P { P {} }

// choice inside fork: D made before the fork, read in a branch of a choice in the fork
#[state] struct A {} #[state] struct B {} #[state] struct L {} #[state] struct R {}
#[node] fn split(_: N) -> (A, B) { (A {}, B {}) }
#[node] fn pick(_: A) -> Either<L, R> { Either::Left(L {}) }
#[node] fn l(_: L, _d: Latest<D>) -> Q { Q {} }
#[node] fn r(_: R, _t: Latest<T>) -> Q { Q {} }
#[node] fn b(_: B, _d: Latest<D>, _t: Latest<T>, _n: Latest<N>) -> I { I {} }
#[node] fn meet(_: Q, _: I, _d: Latest<D>) -> P { P {} }
#[flow(named)] fn f(t: T) -> P { flow! { write -> judge -> split -> fork(pick -> either(l, r), b) -> join(meet) } }

pub fn main() {}
