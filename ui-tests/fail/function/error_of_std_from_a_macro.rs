use pravah_runtime::prelude::*;

#[state] struct A {}

macro_rules! rescue {
    ($name:ident, $error:ty) => { #[node] fn $name(_: &$error) -> A { A {} } };
}

rescue!(tell, std::io::Error);

fn main() {}
