use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}

const VISITS: u32 = 3;

macro_rules! node {
    ($name:ident, $from:ty => $to:ident, $visits:expr) => {
        #[node(max_visits = $visits)]
        fn $name(_: $from) -> $to { $to {} }
    };
}

node!(read, &A => B, 2);
node!(write, B => C, VISITS);

macro_rules! story {
    ($first:path, $second:path) => {
        #[pravah_runtime::flow]
        fn story(a: A) -> C { pravah_runtime::flow! { $first -> $second } }
    };
}

story!(read, self::write);

pub fn main() {}
