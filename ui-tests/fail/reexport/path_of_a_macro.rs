use pravah_runtime::prelude::*;

macro_rules! order {
    () => {
        #[state(crate = $crate::pravah)]
        struct Order { cups: u32 }
    };
}
order!();

fn main() {}
