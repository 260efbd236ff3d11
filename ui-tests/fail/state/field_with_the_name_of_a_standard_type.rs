use pravah_runtime::prelude::*;

mod fixed {
    #[derive(Clone, Debug)]
    pub(crate) struct String<const LEN: usize>([u8; LEN]);
}
use fixed::String;

#[state]
struct A { name: String<8> }

fn main() {}
