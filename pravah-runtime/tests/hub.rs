//! Reaching a run from outside: its commands, what becomes of them, and what a snapshot keeps of them.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that fails is a test that fails"
)]

#[path = "hub/answers.rs"]
mod answers;
#[path = "hub/cancel.rs"]
mod cancel;
#[path = "hub/channels.rs"]
mod channels;
#[path = "hub/channels_blocking.rs"]
mod channels_blocking;
#[path = "hub/channels_busy.rs"]
mod channels_busy;
#[path = "hub/console.rs"]
mod console;
#[path = "hub/console_late.rs"]
mod console_late;
#[path = "hub/emit.rs"]
mod emit;
#[path = "hub/multi_turn.rs"]
mod multi_turn;
#[path = "hub/multi_turn_odd.rs"]
mod multi_turn_odd;
#[path = "hub/odd.rs"]
mod odd;
#[path = "hub/random_messages.rs"]
mod random_messages;
#[path = "hub/replies.rs"]
mod replies;
#[path = "hub/serve.rs"]
mod serve;
#[path = "hub/stored.rs"]
mod stored;
#[path = "hub/two_answers.rs"]
mod two_answers;

use std::time::Duration;

use futures_util::FutureExt as _;
use pravah_runtime::{Sent, prelude::*};
use tokio::time::sleep;

#[state]
struct Draft {
    n: u32,
}
#[state]
struct Checked {
    n: u32,
}
#[state]
#[derive(Debug, PartialEq)]
struct Page {
    n: u32,
}

#[gate(prompt = "How many?")]
fn approve(draft: &Draft, more: u32) -> Checked {
    Checked { n: draft.n + more }
}

/// Takes ten seconds.
#[node]
async fn print(checked: &Checked) -> Page {
    sleep(Duration::from_secs(10)).await;
    Page { n: checked.n }
}

#[flow(named)]
fn story(draft: Draft) -> Page {
    flow! { approve -> print }
}

fn start(n: u32) -> FlowRuntime<story> {
    story::start(Draft { n }).unwrap()
}

/// What is known of a command by now.
fn now(sent: &mut Sent) -> Option<Result<u64, FlowError>> {
    sent.now_or_never()
}
