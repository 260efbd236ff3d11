use pravah_runtime::prelude::*;

use std::{future::Future, pin::Pin};

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> Pin<Box<dyn Future<Output = B> + Send>> { Box::pin(async { B {} }) }

fn main() {}
