use std::sync::atomic::AtomicU64;

use pravah_runtime::prelude::*;

#[state] struct Page { text: String, seen: AtomicU64 }
#[state] struct Read {}
#[node] fn read(_: Page) -> Read { Read {} }
#[flow] fn reader(page: Page) -> Read { flow! { read } }

fn main() {}
