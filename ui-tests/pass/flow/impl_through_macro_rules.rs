use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }

macro_rules! story {
    ($input:ty => $output:ty) => {
        #[flow]
        impl Flow for $input {
            type Output = $output;
            fn build() -> Result<FlowGraph, FlowError> {
                pravah_runtime::flow! { read }
            }
        }
    };
}

story!(A => B);

pub fn main() {}
