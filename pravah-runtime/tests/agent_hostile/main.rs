//! Models that answer with what nobody asked for: each answer ends in a repair or a typed error, and
//! what it cost is counted.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

#[path = "../macros_support/mod.rs"]
mod macros_support;

mod arguments;
mod outputs;
mod questions;

use pravah_runtime::prelude::*;
use serde_json::{Value, json};

#[state]
struct Ticket {}

/// Its schema says more than its type.
#[state]
#[derive(Debug, PartialEq)]
struct Rating {
    #[schemars(range(min = 1, max = 5))]
    stars: u8,
    #[schemars(length(max = 3), regex(pattern = "^[A-Z]*$"))]
    code: String,
}

fn good() -> Value {
    json!({ "stars": 5, "code": "OK" })
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!("x"), |inner, _| json!([inner]))
}
