use pravah_runtime::prelude::*;
#[state] struct T {} #[state] struct D {} #[state] struct N {} #[state] struct P {} #[state] struct I {} #[state] struct Q {}
#[node] fn write(_: &T) -> D { D {} }
#[node] fn judge(_: D) -> N { N {} }
#[node] fn publish(_: N, _d: Latest<D>) -> P { P {} }

// nested flow in a list reads its own; list at start; as names
#[flow(named)] fn inner(t: T) -> P { flow! { write -> judge -> publish } }
#[node] fn many(_: Q) -> Each<T> { Each::from(vec![]) }
#[node] fn sum(_: Each<P>, _q: Latest<Q>, _t: Latest<Each<T>>) -> I { I {} }
#[flow(named)] fn f(q: Q) -> I { flow! { many -> each(inner) -> sum } }
#[node] fn sum2(_: Each<P>, _t: Latest<Each<T>>) -> I { I {} }
#[flow(named)] fn g(ts: Each<T>) -> I { flow! { each(inner) -> sum2 } }
#[node] fn tt(_: D) -> T { T {} }
#[flow(named)] fn h(t: T) -> P { flow! { write -> tt -> write as w2 -> judge -> publish as p } }
#[node] fn back(_: P) -> T { T {} }
#[node] fn fin(_: P, _p: Latest<P>, _t: Latest<T>) -> I { I {} }
#[flow(named)] fn k(t: T) -> I { flow! { inner -> back -> inner as second -> fin } }

pub fn main() {}
