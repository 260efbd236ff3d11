use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}

const VISITS: u32 = 3;

macro_rules! node {
    ($name:ident, $from:ty => $to:ident, $visits:expr) => {
        #[node(max_visits = $visits)]
        fn $name(_: $from) -> $to { $to {} }
    };
}

node!(read, &A => B, 2);
node!(write, C => A, VISITS);

#[node] fn choose(_: B) -> Either<D, C> { Either::Left(D {}) }

macro_rules! story {
    ($first:path, $second:path) => {
        #[pravah_runtime::flow]
        fn story(a: A) -> D {
            pravah_runtime::flow! { $first -> choose -> either(done, $second); $second -> $first }
        }
    };
}

story!(read, self::write);

pub fn main() {}
