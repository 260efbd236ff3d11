//! Graphs: from nodes that name their states to a dense table that the engine steps through.
//!
//! [`FlowGraphBuilder`] and the macros both make [`NodeSpec`]s; [`link`] flattens nested flows and resolves
//! every name to an index, once.

#[cfg(feature = "documents")]
mod assemble;
mod builder;
mod building;
mod call;
mod call_results;
mod catch;
mod checks;
mod clones;
mod data;
mod detached;
mod draw;
mod flatten;
mod flow;
mod flow_spec;
mod invoke;
mod keys;
mod latest;
mod link;
mod list;
mod net;
mod node_contract;
mod node_info;
mod node_kind;
mod problems;
mod remote;
mod rules;
mod spec;
mod table;
mod team;
#[cfg(test)]
mod tests;
mod upgrades;
mod version;
mod wiring;

use std::{collections::BTreeMap, sync::Arc};

#[cfg(feature = "documents")]
pub(crate) use assemble::{AssembledNode, AssembledOutput, Assembly, KeptState};
pub use builder::FlowGraphBuilder;
pub(crate) use building::building;
pub(crate) use call_results::{CombineResults, EndedCalls, TypedResults};
pub(crate) use catch::CatchSpec;
pub(crate) use checks::{End, ends_fit};
pub(crate) use clones::CloneOf;
pub(crate) use data::Data;
pub(crate) use detached::DetachedNode;
pub use flow::Flow;
pub(crate) use flow_spec::FlowSpec;
pub(crate) use invoke::InvokeNode;
pub(crate) use keys::{Ambiguous, node_of_taker, split as split_key};
pub(crate) use list::{ListBody, ListInput};
pub use node_contract::{NodeConstraints, NodeContract};
pub use node_info::NodeInfo;
pub(crate) use node_kind::NodeKind;
use problems::Problem;
pub(crate) use remote::{RemoteAgent, RemoteNode};
pub(crate) use rules::{Arrived, FailedBody, NodeRules, Rules};
pub(crate) use spec::{About, AgentNode, EachNode, Name};
pub use spec::{NodeSpec, specs, starting, starting_async};
pub(crate) use table::{NodeEntry, OutputArc, Scope, Table};
pub(crate) use team::TEAM_START;
pub(crate) use upgrades::Upgrades;
pub(crate) use version::text_of_fingerprint;
pub use version::{FlowStart, FlowVersion};
#[cfg(test)]
pub(crate) use wiring::Port;
use wiring::Wiring;

pub(crate) use crate::index::{LatestIx, NodeIx, Place, ScopeIx, SlotIx, StateIx};
use crate::{
    error::{FlowError, does_not_compile},
    index::Names,
    topology::{Ends, Topology},
};

/// Whether somebody has written this name: those that the graph makes begin with `(`.
pub(crate) fn is_written(name: &str) -> bool {
    !name.starts_with('(')
}

/// A flow, linked and ready to run: nodes, the states between them, where it starts and ends.
///
/// The macros make one from `flow! { … }`; without macros use [`FlowGraph::builder`]. Cloning is
/// cheap.
#[derive(Clone)]
pub struct FlowGraph {
    pub(crate) specs: FlowSpec,
    pub(crate) table: Arc<Table>,
    /// The Rust type behind the name of each state, where the compiler has not seen to that.
    pub(crate) types: Arc<BTreeMap<String, &'static str>>,
    /// What it says of its earlier versions.
    pub(crate) upgrades: Arc<Upgrades>,
}

impl FlowGraph {
    /// A graph without macros, checked at [`build`](FlowGraphBuilder::build).
    pub fn builder() -> FlowGraphBuilder {
        FlowGraphBuilder::default()
    }

    /// Links nodes of which each state has one that takes it.
    #[cfg(test)]
    pub(crate) fn link_by_state(
        input: impl Into<Name>,
        output: impl Into<Name>,
        specs: Vec<NodeSpec>,
    ) -> Result<Self, FlowError> {
        let input = input.into();
        let wiring = Wiring::by_state(&input, &specs);
        let specs = FlowSpec::new(specs, wiring);
        let (graph, problems) = link::link(input, output.into(), specs);
        graph.unless(&problems)
    }

    /// The same, where `rename` then gives states other names, which several may share, and what a node
    /// without a fork returns more than once is one state that all its takers get.
    #[cfg(test)]
    pub(crate) fn link_shared(
        input: &str,
        output: &str,
        mut specs: Vec<NodeSpec>,
        mut rename: impl FnMut(&str) -> String,
    ) -> Result<Self, FlowError> {
        let mut wiring = Wiring::by_state(input, &specs);
        wiring.share(&mut specs, &mut rename);
        let specs = FlowSpec::new(specs, wiring);
        let (input, output) = (input.to_owned(), output.to_owned());
        let (graph, problems) = link::link(input.into(), output.into(), specs);
        graph.unless(&problems)
    }

    /// The same flow, whose nodes were changed and take and return what they did.
    #[cfg(test)]
    pub(crate) fn with_nodes(&self, nodes: Vec<NodeSpec>) -> Self {
        let (input, output) = (self.input().to_owned(), self.output().to_owned());
        let specs = FlowSpec::new(nodes, Wiring::clone(&self.specs.wiring));
        let (graph, problems) = link::link(input.into(), output.into(), specs);
        assert_eq!(problems.len(), 0);
        graph.with_fail_fast(self.specs.fail_fast)
    }

    /// The graph, if there are no problems with it; all of them otherwise.
    pub(crate) fn unless(self, problems: &[Problem]) -> Result<Self, FlowError> {
        if problems.is_empty() {
            return Ok(self);
        }
        Err(FlowError::Invalid(
            problems.iter().map(ToString::to_string).collect(),
        ))
    }

    /// Changes the nodes, not what they take and return. The graph is not linked again: it is to be inlined in another
    /// one, which does that.
    pub(crate) fn change_nodes(&mut self, change: impl FnMut(&mut NodeSpec)) {
        self.specs.change(change);
    }

    /// The schema name of the state that the flow starts with.
    pub fn input(&self) -> &str {
        self.table.state_key(self.table.entry.state)
    }

    /// The schema name of the state that the flow ends with.
    pub fn output(&self) -> &str {
        self.table.state_key(self.table.output)
    }

    /// Whether the error of a node ends a call of `run` as soon as nothing is left to try: no further
    /// attempt and no `catch`. Otherwise the node stays as it is, everything else goes on, and the error
    /// is returned when nothing else can move.
    ///
    /// It is so unless `#[flow(fail_fast = false)]` or
    /// [`FlowGraphBuilder::fail_fast`] says otherwise. What the flow says that is run holds for all of the run;
    /// what the flows nested in it say does not count.
    pub fn fail_fast(&self) -> bool {
        self.specs.fail_fast
    }

    /// The same graph, which is [`fail_fast`](Self::fail_fast) or not.
    #[doc(hidden)]
    #[must_use]
    pub fn with_fail_fast(mut self, fail_fast: bool) -> Self {
        self.specs.fail_fast = fail_fast;
        self
    }

    /// Which net the flow is. A snapshot carries it; what becomes of one in a flow with another fingerprint
    /// is found out when it is [loaded](crate::FlowRuntime::from_snapshot).
    ///
    /// It covers the transitions in order, with the names of the states they take and return; not
    /// the names of functions (except those of nested flows), nor prompts, models, tools or policies. The states
    /// within a nested flow are named by its function: `review_round::Verdict`.
    pub fn fingerprint(&self) -> pravah_graph::Fingerprint {
        self.table.fingerprint
    }
}

/// Links the nodes of a flow that the compiler has proved.
// Not a function of `FlowGraph`: rustc would propose it to whoever looks for a way to make one.
pub fn graph_of_flow(specs: Vec<NodeSpec>, topology: &Topology) -> Result<FlowGraph, FlowError> {
    match topology.ends {
        Ends {
            input: Some(input),
            output: Some(output),
        } => graph_of_chain(input.name, output.name, specs, topology),
        _ => Err(does_not_compile()),
    }
}

/// Links those of a list's chain.
pub fn graph_of_chain(
    input: &'static str,
    output: &'static str,
    specs: Vec<NodeSpec>,
    topology: &Topology,
) -> Result<FlowGraph, FlowError> {
    let wiring = Wiring::of(topology, &specs);
    let specs = FlowSpec::new(specs, wiring);
    let (graph, problems) = link::link(input.into(), output.into(), specs);
    graph.unless(&problems)
}

impl std::fmt::Debug for FlowGraph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FlowGraph")
            .field("input", &self.input())
            .field("output", &self.output())
            .field(
                "nodes",
                &self
                    .table
                    .nodes
                    .iter()
                    .map(|node| &*node.id)
                    .collect::<Vec<_>>(),
            )
            .finish_non_exhaustive()
    }
}

impl Table {
    /// Itself. Not inlined: a crate that makes a trait object of a table compiles how one is dropped.
    #[inline(never)]
    pub(crate) fn names(&self) -> &dyn Names {
        self
    }
}

impl Names for Table {
    fn place_key(&self, place: Place) -> &str {
        Self::place_key(self, place)
    }

    fn latest_name(&self, latest: LatestIx) -> &str {
        &self.latest(latest).state
    }
}
