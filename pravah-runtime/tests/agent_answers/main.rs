//! What agents ask and what becomes of the answers: prompts with images, answers that are cut off, and
//! those that are paid for and of no use.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod cut_off;
mod paid;
mod prompts;
