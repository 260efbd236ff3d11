//! From nodes and edges to the graphs of a document.

mod assemble;
mod bodies;
mod cycles;
mod fields;
mod names;
mod nesting;
mod reach;
mod regions;
mod routes;
mod skips;

use serde_json::Value;

use self::regions::Region;
use crate::{
    catalogue::Role,
    model::{Graph, MergeMode, Selector, Work},
    read::{Context, Draft, DraftEdge, Names},
};

/// How deeply bodies and the regions of loop edges may be nested.
const MAX_NESTING: usize = 24;

/// The nodes and edges, numbered as they are declared.
struct Net<'a> {
    /// The input that the document has.
    input: Option<&'a Value>,
    /// Whether a failure that nothing handles stops a run.
    fail_fast: bool,
    drafts: Vec<Draft<'a>>,
    /// Those that the bodies imply come last.
    edges: Vec<DraftEdge>,
    /// The node whose body a node is in.
    parent: Vec<Option<usize>>,
    /// The edges that lead forward from each node, and to it.
    out: Vec<Vec<usize>>,
    into: Vec<Vec<usize>>,
    /// The nodes so that edges lead forward, and where each of them is in that order.
    order: Vec<usize>,
    position: Vec<usize>,
    regions: Vec<Region>,
    /// The innermost region that a node is in.
    region: Vec<Option<usize>>,
}

/// Checks how nodes and edges fit together, and makes graphs of them if no problem was found.
pub(crate) fn build<'a>(
    input: Option<&'a Value>,
    fail_fast: bool,
    drafts: Vec<Draft<'a>>,
    edges: Vec<DraftEdge>,
    names: &Names<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Graph> {
    let count = drafts.len();
    let mut net = Net {
        input,
        fail_fast,
        drafts,
        edges,
        parent: vec![None; count],
        out: vec![Vec::new(); count],
        into: vec![Vec::new(); count],
        order: Vec::new(),
        position: vec![0; count],
        regions: Vec::new(),
        region: vec![None; count],
    };
    net.find_bodies(names, context);
    net.index();
    let is_ordered = net.find_order(context);
    if is_ordered {
        net.find_regions(context);
        net.check_nesting(context);
    }
    net.check_names(names, is_ordered, context);
    net.check_routes(is_ordered, names, context);
    net.check_failing(context);
    net.check_contracts(context);
    if context.sink.has_errors() {
        return None;
    }
    Some(net.assemble())
}

#[expect(
    clippy::indexing_slicing,
    reason = "nodes and edges are numbered by their own tables"
)]
impl Net<'_> {
    /// Finds the edges of each node.
    fn index(&mut self) {
        for (index, edge) in self.edges.iter().enumerate() {
            if edge.jumps.is_none() {
                self.out[edge.from].push(index);
                self.into[edge.to].push(index);
            }
        }
    }

    fn is_merge(&self, node: usize, wanted: MergeMode) -> bool {
        matches!(self.drafts[node].work, Some(Work::Merge { mode, .. }) if mode == wanted)
    }

    fn id(&self, node: usize) -> &str {
        self.drafts[node].id.text
    }

    /// What always fails has no edges for its success.
    fn check_failing(&self, context: &mut Context<'_, '_>) {
        for edge in self
            .edges
            .iter()
            .filter(|edge| edge.on == Selector::Success)
        {
            let source = &self.drafts[edge.from];
            if source.role == Some(Role::Fail) {
                let (from, to) = (source.id.text, self.id(edge.to));
                let message = format!("`{to}` never runs after `{from}`, which always fails");
                context
                    .sink
                    .push("never-taken", edge.span, message)
                    .help("write `on: failure` at the edge");
            }
        }
    }

    /// A contract may suppress an answer, which is a failure that has to lead somewhere.
    fn check_contracts(&self, context: &mut Context<'_, '_>) {
        for (node, draft) in self
            .drafts
            .iter()
            .enumerate()
            .filter(|(_, draft)| draft.has_contract)
        {
            let is_handled = |edge: &usize| self.edges[*edge].on != Selector::Success;
            if !draft.policy.continue_on_error && !self.out[node].iter().any(is_handled) {
                let message = format!("nothing handles a suppressed answer of `{}`", draft.id.text);
                let problem = context.sink.push("no-failure-path", draft.id.span, message);
                problem.help("a node under a contract needs an edge with `on: failure`");
            }
        }
    }
}
