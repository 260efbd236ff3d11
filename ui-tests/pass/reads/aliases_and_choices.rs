use pravah_runtime::prelude::*;
#[state] struct T {} #[state] struct D {} #[state] struct N {} #[state] struct P {} #[state] struct I {} #[state] struct Q {}
#[node] fn write(_: &T) -> D { D {} }
#[node] fn judge(_: D) -> N { N {} }
#[node] fn publish(_: N, _d: Latest<D>) -> P { P {} }

// choice enum, aliases, module paths, generic wrapper types
mod m { use pravah_runtime::prelude::*; #[state] pub struct Deep {} }
type Alias = m::Deep; type L = Latest<m::Deep>;
#[choice] enum K { D(D), N(N) }
#[node] fn mk(_: T) -> m::Deep { m::Deep {} }
#[node] fn next(_: &m::Deep, _a: Latest<Alias>) -> K { K::D(D {}) }
#[node] fn d(_: D, _a: L, _t: pravah_runtime::Latest<T>) -> P { P {} }
#[node] fn n(_: N, _a: Latest<m::Deep>) -> P { P {} }
#[flow(named)] fn f(t: T) -> P { flow! { mk -> next -> either(d, n) } }
// a merge that reads
#[node] fn merge(_: Either<D, N>, _a: Latest<m::Deep>, _b: Latest<T>) -> P { P {} }
#[flow(named)] fn g(t: T) -> P { flow! { mk -> next -> either(join(merge), join(merge)) } }

pub fn main() {}
