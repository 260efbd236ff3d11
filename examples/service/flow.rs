//! What the service does: a claim is assessed, a large one is for a person to decide, and the refund is paid.

use std::time::Duration;

use pravah_runtime::prelude::*;
use tokio::time::sleep;

/// How long a node takes.
pub(crate) struct Pace(pub(crate) Duration);

#[state]
pub(crate) struct Claim {
    euros: u32,
    reason: String,
}

#[state]
struct Large {
    euros: u32,
    reason: String,
}

#[state]
struct Approved {
    euros: u32,
}

#[state]
pub(crate) struct Settled {
    euros: u32,
    payment: String,
}

#[node]
async fn assess(claim: Claim, pace: Dep<Pace>) -> Either<Approved, Large> {
    sleep(pace.0).await;
    let Claim { euros, reason } = claim;
    match euros {
        0..100 => Either::Left(Approved { euros }),
        _ => Either::Right(Large { euros, reason }),
    }
}

#[gate(prompt = format!("Pay {} euros because {}?", large.euros, large.reason))]
fn approve(large: Large, yes: bool) -> Approved {
    Approved {
        euros: if yes { large.euros } else { 0 },
    }
}

/// Made again if the process ends before the commit: the bank recognises the key, and pays once.
#[node]
async fn pay(approved: Approved, pace: Dep<Pace>, step: Step) -> Settled {
    sleep(pace.0).await;
    Settled {
        euros: approved.euros,
        payment: format!("payment {}", step.key()),
    }
}

/// Runs wait in the store while the program changes: one that would strand them does not compile.
#[flow(named, lock = "service/refund.lock")]
pub(crate) fn refund(claim: Claim) -> Settled {
    flow! { assess -> either(pay, approve); approve -> pay }
}
