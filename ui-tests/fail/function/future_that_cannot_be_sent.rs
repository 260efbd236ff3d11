use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node]
async fn read(_: &A) -> B {
    let held = std::rc::Rc::new(1);
    std::future::ready(()).await;
    drop(held);
    B {}
}

fn main() {}
