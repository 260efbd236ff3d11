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

/// Runs again if the process dies before the commit: the bank recognises the key, and pays once.
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

#[cfg(test)]
mod tests {
    use pravah_runtime::testing::CrashTest;
    use serde_json::json;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_refund_is_paid_under_one_key_wherever_its_run_is_broken_off() {
        for (euros, approved, paid) in [(20, true, 20), (120, true, 120), (120, false, 0)] {
            let test = CrashTest::<refund>::new(move || Claim {
                euros,
                reason: "it broke".to_owned(),
            })
            .with_context(|_| Context::default().with_dep(Pace(Duration::from_secs(1))))
            .answering(move |_question| Some(json!(approved)));
            let report = test.check().await.unwrap();
            assert_eq!(report.output["euros"], paid);
            let payment = report.output["payment"].as_str().unwrap();
            assert!(payment.ends_with("/pay(Approved)#1"), "{payment}");
        }
    }
}
