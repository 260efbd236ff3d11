//! Flows to serve, and the effects of their nodes.

#[path = "../../../pravah-store/tests/conformance/flows/everywhere.rs"]
mod everywhere;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use pravah_restate::RestateFlows;
use pravah_runtime::prelude::*;

pub(crate) use self::everywhere::{Draft, Order, Published, Served, to_go};

/// The step keys of the effects that happened.
#[derive(Clone, Default)]
pub(crate) struct Effects(Arc<Mutex<Vec<String>>>);

impl Effects {
    pub(crate) fn happen(&self, ctx: &Context) {
        self.0.lock().unwrap().push(ctx.step_key().unwrap());
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn context(&self) -> Context {
        Context::default().with_dep(self.clone())
    }
}

// --- A long step.

#[state]
pub(crate) struct Journey {
    pub(crate) seconds: u64,
}
#[state]
#[derive(Debug, PartialEq)]
pub(crate) struct Arrived {
    pub(crate) seconds: u64,
}

#[node]
async fn travel(journey: Journey, effects: Dep<Effects>, ctx: Context) -> Arrived {
    effects.happen(&ctx);
    tokio::time::sleep(Duration::from_secs(journey.seconds)).await;
    Arrived {
        seconds: journey.seconds,
    }
}

#[flow]
pub(crate) fn trip(journey: Journey) -> Arrived {
    flow! { travel }
}

// --- A step that fails as long as there is no bridge, and waits between its attempts.

#[derive(Clone, Default)]
pub(crate) struct Bridge(pub(crate) Arc<std::sync::atomic::AtomicBool>);

#[state]
pub(crate) struct Crossing {
    pub(crate) at: u32,
}
#[state]
#[derive(Debug, PartialEq)]
pub(crate) struct Crossed {
    pub(crate) at: u32,
}

#[node(retry(max_attempts = 2, backoff = "4s"))]
fn cross(
    crossing: Crossing,
    bridge: Dep<Bridge>,
    effects: Dep<Effects>,
    ctx: Context,
) -> Result<Crossed, FlowError> {
    effects.happen(&ctx);
    match bridge.0.load(std::sync::atomic::Ordering::Relaxed) {
        true => Ok(Crossed { at: crossing.at }),
        false => Err("there is no bridge".into()),
    }
}

#[flow]
pub(crate) fn crossing(crossing: Crossing) -> Crossed {
    flow! { cross }
}

// --- An event with a time limit.

#[state]
pub(crate) struct Invoice {
    pub(crate) number: u32,
}
#[state]
#[derive(Debug, PartialEq)]
pub(crate) struct Settled {
    pub(crate) cents: u32,
}

#[gate(event = format!("paid:{}", invoice.number), timeout = "5s")]
fn payment(invoice: Invoice, cents: u32) -> Settled {
    let _ = invoice;
    Settled { cents }
}

#[node]
fn write_off(_unpaid: Failure<Invoice>) -> Settled {
    Settled { cents: 0 }
}

#[flow]
pub(crate) fn billing(invoice: Invoice) -> Settled {
    flow! { payment; catch(payment) -> write_off }
}

/// Serves all of these.
pub(crate) fn served(effects: &Effects, bridge: &Bridge) -> RestateFlows {
    RestateFlows::new()
        .serve::<Order>()
        .serve::<to_go>()
        .serve::<Draft>()
        .serve::<Journey>()
        .serve::<Crossing>()
        .serve::<Invoice>()
        .with_context(effects.context().with_dep(bridge.clone()))
}
