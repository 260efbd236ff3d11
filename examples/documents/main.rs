//! The lessons about documents that need Rust: `cargo run -p pravah-examples --bin documents -- 08`.
//!
//! The other lessons are documents alone: `cargo run -p pravah-cli -- run examples/documents/05-health.yaml`.

#![allow(
    clippy::indexing_slicing,
    reason = "every lesson is tested with what it prints"
)]

mod lessons;

use std::{error::Error, process::ExitCode};

type Done = Result<(), Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let number = std::env::args().nth(1).unwrap_or_default();
    let done = match &*number {
        "07" => lessons::packs::run().await,
        "08" => lessons::custom_node::run().await,
        "09" => lessons::messages::run().await,
        "10" => lessons::without_document::run().await,
        "12" => lessons::channels::run().await,
        "13" => lessons::one_run_only::run().await,
        "14" => lessons::in_memory::run().await,
        "15" => lessons::session_each::run().await,
        _ => Err("which lesson? 07, 08, 09, 10, 12, 13, 14 or 15".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
