//! Each flow's graph is made once in a process.

use std::{
    any::{Any, TypeId},
    collections::BTreeMap,
    sync::{Arc, OnceLock, PoisonError, RwLock},
};

use super::FlowDef;
use crate::{
    error::FlowError,
    graph::{CloneOf, FlowGraph, building, ends_fit},
    state::Live,
};

/// A flow's graph and id.
pub(crate) struct Known {
    pub(crate) graph: FlowGraph,
    pub(crate) id: Arc<str>,
    /// What it is called, for people: its function, or its id where there is none.
    pub(crate) name: Arc<str>,
    /// What its runs are one phase of, and whether an output is that of a success: of a document.
    pub(crate) phase: Option<Phase>,
    /// The `CloneOf` its output: what a run keeps of that when it hands it out.
    pub(crate) output: Arc<dyn Any + Send + Sync>,
}

/// The phase that all of a document's run is.
#[derive(Clone, Copy)]
pub(crate) struct Phase {
    pub(crate) name: &'static str,
    pub(crate) has_succeeded: fn(&Live) -> bool,
}

static KNOWN: OnceLock<RwLock<BTreeMap<TypeId, Arc<Known>>>> = OnceLock::new();

/// The graph of the flow `F`; one that could not be made is tried again.
pub(crate) fn graph_of<F: FlowDef>() -> Result<Arc<Known>, FlowError> {
    let known = KNOWN.get_or_init(RwLock::default);
    // A map of finished graphs is whole, whoever panicked while holding the lock.
    if let Some(graph) = known
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .get(&TypeId::of::<F>())
    {
        return Ok(Arc::clone(graph));
    }
    let id: Arc<str> = F::node_id().into();
    let made = Arc::new(Known {
        graph: make::<F>()?,
        name: match F::KNOWN_TOPOLOGY.name {
            "" => Arc::clone(&id),
            name => name.into(),
        },
        id,
        phase: None,
        output: Arc::new(CloneOf::<F::Output>::of_state()),
    });
    let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
    Ok(Arc::clone(known.entry(TypeId::of::<F>()).or_insert(made)))
}

fn make<F: FlowDef>() -> Result<FlowGraph, FlowError> {
    let graph = building::<F, _>(F::node_id, F::graph)?;
    let problems = ends_fit::<F::Input, F::Output>(&graph);
    graph.unless(&problems)
}
