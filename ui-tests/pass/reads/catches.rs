use pravah_runtime::prelude::*;
#[state] struct T {} #[state] struct D {} #[state] struct N {} #[state] struct P {} #[state] struct I {} #[state] struct Q {}
#[node] fn write(_: &T) -> D { D {} }
#[node] fn judge(_: D) -> N { N {} }
#[node] fn publish(_: N, _d: Latest<D>) -> P { P {} }

// catch: both the way through and the rescue make one
#[node] fn fails(_: &T) -> Result<D, String> { Err("".into()) }
#[node] fn rescue(_: Failure<T>) -> D { D {} }
#[flow(named)] fn f(t: T) -> P { flow! { fails -> judge -> publish; catch(fails) -> rescue -> judge } }
// maker caught: rescue reads what was before
#[node] fn fails2(_: N) -> Result<P, String> { Err("".into()) }
#[node] fn rescue2(_: Failure<N>, _d: Latest<D>, _n: Latest<N>) -> P { P {} }
#[flow(named)] fn g(t: T) -> P { flow! { write -> judge -> fails2; catch(fails2) -> rescue2 } }
// Latest<Failure<_>> that a node returns
#[node] fn wrap(f: Failure<T>) -> Failure<T> { f }
#[node] fn open(_: Failure<T>) -> N { N {} }
#[node] fn read(_: N, _f: Latest<Failure<T>>) -> P { P {} }
#[node] fn fine(_: D) -> P { P {} }
#[flow(named)] fn h(t: T) -> P { flow! { fails -> fine; catch(fails) -> wrap -> open -> read } }

pub fn main() {}
