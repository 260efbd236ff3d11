use pravah_runtime::prelude::*;

#[state]
struct Order { cups: u32 }

impl Clone for Order {
    fn clone(&self) -> Self { Self { cups: self.cups } }
}

fn main() {}
