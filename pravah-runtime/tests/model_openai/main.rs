//! OpenAI's chat completions against a web server that checks what it receives.
#![cfg(feature = "providers")]
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod answers;
mod errors;
mod server;
