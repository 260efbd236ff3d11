//! Flows to keep in stores, and the effects of their nodes.

mod everywhere;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use pravah_runtime::prelude::*;
use pravah_store::{RunInfo, RunStore, Runs, Status, Worker};

pub(crate) use self::everywhere::{Draft, Order, Published, Served, to_go};

/// The step keys of the effects that happened, and how many bodies ran at most at the same time.
#[derive(Clone, Default)]
pub(crate) struct Effects(Arc<Mutex<(Vec<String>, usize, usize)>>);

impl Effects {
    pub(crate) fn happen(&self, ctx: &Context) {
        self.0.lock().unwrap().0.push(ctx.step_key().unwrap());
    }

    pub(crate) fn enter(&self) -> usize {
        let mut inner = self.0.lock().unwrap();
        inner.1 += 1;
        inner.2 = inner.2.max(inner.1);
        inner.1
    }

    fn leave(&self) {
        self.0.lock().unwrap().1 -= 1;
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        self.0.lock().unwrap().0.clone()
    }

    pub(crate) fn most_at_once(&self) -> usize {
        self.0.lock().unwrap().2
    }

    pub(crate) fn context(&self) -> Context {
        Context::default().with_dep(self.clone())
    }
}

/// Leaves when it is dropped, however the body ends.
pub(crate) struct Inside(pub(crate) Effects);

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.leave();
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
    let effects = (*effects).clone();
    effects.enter();
    let _inside = Inside(effects.clone());
    tokio::time::sleep(Duration::from_secs(journey.seconds)).await;
    effects.happen(&ctx);
    Arrived {
        seconds: journey.seconds,
    }
}

#[flow]
pub(crate) fn trip(journey: Journey) -> Arrived {
    flow! { travel }
}

// --- A step that fails as long as there is no bridge.

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

#[node(retry(max_attempts = 3, backoff = "10s"))]
fn cross(crossing: Crossing, bridge: Dep<Bridge>) -> Result<Crossed, FlowError> {
    match bridge.0.load(std::sync::atomic::Ordering::Relaxed) {
        true => Ok(Crossed { at: crossing.at }),
        false => Err("there is no bridge".into()),
    }
}

#[flow]
pub(crate) fn crossing(crossing: Crossing) -> Crossed {
    flow! { cross }
}

// --- A state that JSON cannot hold.

#[state]
pub(crate) struct Bill {
    pub(crate) guests: u32,
}
#[state]
pub(crate) struct Share {
    pub(crate) each: f64,
}

#[node]
fn divide(bill: Bill) -> Share {
    Share {
        each: 100.0 / f64::from(bill.guests),
    }
}

#[node]
fn collect(share: Share) -> Settled {
    Settled {
        cents: (share.each * 100.0).round() as u32,
    }
}

#[flow]
pub(crate) fn sharing(bill: Bill) -> Settled {
    flow! { divide -> collect }
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

#[gate(event = format!("paid:{}", invoice.number), timeout = "1h")]
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

// --- Driving them.

/// A worker that serves all of these.
pub(crate) fn worker(store: Arc<dyn RunStore>, effects: &Effects) -> Worker {
    let ctx = effects.context().with_dep(Bridge::default());
    Worker::new(store)
        .serve::<Order>()
        .serve::<to_go>()
        .serve::<Draft>()
        .serve::<Journey>()
        .serve::<Crossing>()
        .serve::<Bill>()
        .serve::<Invoice>()
        .with_context(ctx)
}

/// A worker at work, which is aborted when this is dropped.
pub(crate) struct Working(tokio::task::JoinHandle<()>);

impl Working {
    pub(crate) fn start(worker: Worker) -> Self {
        Self(tokio::spawn(worker.run(std::future::pending())))
    }

    /// Breaks it off, as the end of its process would.
    pub(crate) async fn kill(self) {
        self.0.abort();
        tokio::task::yield_now().await;
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Waits until a run has this status, for some hours at most.
pub(crate) async fn until(runs: &Runs, id: &str, status: Status) -> RunInfo {
    let end = tokio::time::Instant::now() + Duration::from_secs(3 * 3600);
    loop {
        let info = runs.status(id).await.unwrap();
        if info.status == status {
            return info;
        }
        if tokio::time::Instant::now() >= end {
            panic!("{info:#?} {:#?}", runs.history(id).await);
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}
