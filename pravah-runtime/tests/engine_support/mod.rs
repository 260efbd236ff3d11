//! What the engine's tests share: small states, bodies that are counted, restarts.
#![allow(
    dead_code,
    unused_macros,
    unused_imports,
    clippy::panic,
    clippy::unwrap_used,
    reason = "each test file uses a part of it"
)]

pub(crate) mod agents;
pub(crate) mod desk;
#[path = "../common/only_failed.rs"]
mod only_failed;
pub(crate) mod order;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

pub(crate) use only_failed::only_failed;
use pravah_runtime::{Context, FlowDef, FlowRuntime, FlowSnapshot};
use serde_json::Value;

/// States that hold a number.
macro_rules! states {
    ($($name:ident),+ $(,)?) => {$(
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub(crate) struct $name { pub(crate) n: u64 }
    )+};
}
pub(crate) use states;

/// Counts what is run, by name.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn add(&self, entry: impl Into<String>) {
        self.0.lock().unwrap().push(entry.into());
    }

    pub(crate) fn entries(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for entry in self.entries() {
            *counts.entry(entry).or_default() += 1;
        }
        counts
    }

    pub(crate) fn ctx(&self) -> Context {
        Context::default().with_dep(self.clone())
    }
}

/// Notes in the log of `ctx`, if it has one, that `name` ran.
pub(crate) fn ran(ctx: &Context, name: &str) {
    if let Ok(log) = ctx.dep::<Log>() {
        log.add(name);
    }
}

pub(crate) fn json<F: FlowDef>(run: &FlowRuntime<F>) -> Value {
    serde_json::to_value(run.snapshot()).unwrap()
}

pub(crate) fn bytes<F: FlowDef>(run: &FlowRuntime<F>) -> Vec<u8> {
    serde_json::to_vec(&run.snapshot()).unwrap()
}

pub(crate) fn load<F: FlowDef>(bytes: &[u8]) -> FlowRuntime<F> {
    let snapshot: FlowSnapshot = serde_json::from_slice(bytes).unwrap();
    FlowRuntime::from_snapshot(snapshot).unwrap()
}

/// The run as another process would find it.
pub(crate) fn restart<F: FlowDef>(run: &FlowRuntime<F>) -> FlowRuntime<F> {
    load(&bytes(run))
}

/// Polls a future once, and drops it.
pub(crate) fn poll_once<T>(future: impl Future<Output = T>) -> Option<T> {
    use futures_util::FutureExt as _;
    future.now_or_never()
}
