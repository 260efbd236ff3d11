//! Each flow's graph is made once in a process.

use std::{
    any::{Any, TypeId},
    collections::BTreeMap,
    sync::{Arc, OnceLock, PoisonError, RwLock},
};

use super::FlowDef;
use crate::{
    error::FlowError,
    graph::{End, FlowGraph, building, ends_fit},
    state::{AsNoted, Live, Rebuild, rebuild},
};

/// A flow's graph and id.
pub(crate) struct Known {
    pub(crate) graph: FlowGraph,
    pub(crate) id: Arc<str>,
    /// What it is called, for people: its function, or its id where there is none.
    pub(crate) name: Arc<str>,
    /// What its runs are one phase of, and whether an output is that of a success: of a document.
    pub(crate) phase: Option<Phase>,
    /// The [`AsNoted`] of its output: what a run keeps of that when it hands it out.
    pub(crate) output: Arc<dyn Any + Send + Sync>,
}

/// The phase that all of a document's run is.
#[derive(Clone, Copy)]
pub(crate) struct Phase {
    pub(crate) name: &'static str,
    pub(crate) failure: fn(&Live) -> Option<String>,
}

static KNOWN: OnceLock<RwLock<BTreeMap<TypeId, Arc<Known>>>> = OnceLock::new();

/// The graph of the flow `F`; one that could not be made is tried again.
#[inline]
pub(crate) fn graph_of<F: FlowDef>() -> Result<Arc<Known>, FlowError> {
    match known(TypeId::of::<F>()) {
        Some(known) => Ok(known),
        None => make_graph::<F>(),
    }
}

#[inline(never)]
fn make_graph<F: FlowDef>() -> Result<Arc<Known>, FlowError> {
    let flow = TypeId::of::<F>();
    let graph = building(flow, F::node_id, F::graph)?;
    // What the compiler knows a flow of ends with a state.
    let otherwise = const {
        match F::KNOWN_TOPOLOGY.name.is_empty() {
            true => Some(rebuild::<F::Output> as Rebuild),
            false => None,
        }
    };
    let output = Arc::new(AsNoted::<F::Output>::or(otherwise));
    made(
        flow,
        graph,
        [End::of::<F::Input>(), End::of::<F::Output>()],
        [F::node_id(), F::KNOWN_TOPOLOGY.name.to_owned()],
        output,
    )
}

// Not generic: generic code is compiled again for every flow of a user's crate.

fn known(flow: TypeId) -> Option<Arc<Known>> {
    let known = KNOWN.get_or_init(RwLock::default);
    // A map of finished graphs is whole, whoever panicked while holding the lock.
    let known = known.read().unwrap_or_else(PoisonError::into_inner);
    known.get(&flow).cloned()
}

fn made(
    flow: TypeId,
    graph: FlowGraph,
    ends: [End; 2],
    [id, name]: [String; 2],
    output: Arc<dyn Any + Send + Sync>,
) -> Result<Arc<Known>, FlowError> {
    let problems = ends_fit(&graph, ends);
    let graph = graph.unless(&problems)?;
    let id: Arc<str> = id.into();
    let made = Arc::new(Known {
        graph,
        name: match &*name {
            "" => Arc::clone(&id),
            name => name.into(),
        },
        id,
        phase: None,
        output,
    });
    let known = KNOWN.get_or_init(RwLock::default);
    let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
    Ok(Arc::clone(known.entry(flow).or_insert(made)))
}
