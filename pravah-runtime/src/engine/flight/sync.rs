//! What `waker` shares between threads. `tests/body_wakers.rs` compiles that file with what `loom` has in place of this.

pub(super) use std::sync::atomic::{AtomicBool, Ordering};

pub(super) use futures_util::task::AtomicWaker;
