use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
struct Desk;
impl Desk {
    #[node(timeout = "2s")]
    async fn read(_: &A) -> B { B {} }
}
async fn direct() -> B { Desk::read(&A {}).await }

fn main() {}
