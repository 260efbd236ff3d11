//! Which of the states that a flow makes it keeps, for the nodes that read them.

mod reach;

use std::sync::Arc;

use super::{
    EachNode, LatestIx, Name, NodeKind, NodeSpec, ScopeIx, Table,
    flatten::{Flat, FlatArc, FlatNode, join},
};

/// A state that is read in a flow, of which the last that was made is kept.
#[derive(Debug)]
pub(crate) struct LatestEntry {
    /// The flow that makes and reads it.
    pub(crate) scope: ScopeIx,
    /// Its schema name.
    pub(crate) state: Arc<str>,
    /// What it is called in snapshots: its name, prefixed within an inlined flow.
    pub(crate) key: Arc<str>,
    /// Whether a run of the flow may read it before it has made one, as only the chain of a list may: then its
    /// items start with what was made before the list.
    pub(crate) may_be_missing: bool,
}

/// The schema names of the states that a node reads, or any node in the chain of the list that it is.
pub(super) fn read_by(spec: &NodeSpec) -> Vec<Name> {
    let mut reads = spec.reads.clone();
    if let NodeKind::Each(EachNode { chain, .. }) = &spec.kind {
        let missing = chain
            .table
            .latest
            .iter()
            .filter(|entry| entry.may_be_missing);
        reads.extend(missing.map(|entry| Name::Owned(entry.state.to_string())));
    }
    reads
}

/// The states `S` of the `Input<S>`s that a node asks for; of a list or a nested flow those of the nodes inside that are
/// not its own input.
pub(super) fn inputs_asked_by(spec: &NodeSpec) -> Vec<Name> {
    let inside = match &spec.kind {
        NodeKind::Each(EachNode { chain, .. }) => chain,
        NodeKind::Flow(graph) => graph,
        _ => return spec.inputs.clone(),
    };
    let asked = inside.specs.iter().flat_map(inputs_asked_by);
    asked.filter(|state| **state != *inside.input()).collect()
}

impl Flat {
    /// The scopes that keep what an arc carries, which a node of the scope `from` returned: that one, those in which
    /// it is the output of a nested flow, and those that start with it.
    pub(super) fn keepers(
        &self,
        arc: &FlatArc,
        from: Option<usize>,
        state: &Name,
    ) -> Vec<(usize, Name)> {
        if arc.to.is_empty() {
            return Vec::new();
        }
        let scope = |index: usize| self.scopes.get(index);
        let around = arc.ends.iter().filter_map(|ended| scope(*ended)?.parent);
        let mut keepers: Vec<usize> = from.into_iter().chain(around).collect();
        keepers.extend(&arc.starts);
        keepers.sort_unstable();
        keepers.dedup();
        keepers.retain(|keeper| {
            let reads = scope(*keeper).is_some_and(|scope| scope.reads.contains(state));
            reads && !arc.ends.contains(keeper)
        });
        let kept = keepers.into_iter().map(|keeper| (keeper, state.clone()));
        kept.collect()
    }

    /// All that is kept, in the order of the scopes.
    pub(super) fn latest(&self) -> Vec<LatestEntry> {
        let scopes = (0..).map(ScopeIx).zip(&self.scopes);
        let entries = scopes.flat_map(|(index, scope)| {
            scope.reads.iter().map(move |state| LatestEntry {
                scope: index,
                state: Arc::from(&**state),
                key: join(&scope.prefix, state).into(),
                may_be_missing: false,
            })
        });
        entries.collect()
    }
}

/// The entries of these states in a scope.
pub(super) fn entries_of<'a>(
    entries: &[LatestEntry],
    scope: usize,
    states: impl IntoIterator<Item = &'a Name>,
) -> Vec<LatestIx> {
    let index = |state: &Name| {
        let of_state =
            |entry: &LatestEntry| entry.scope.0 as usize == scope && *entry.state == **state;
        Some(LatestIx(
            u32::try_from(entries.iter().position(of_state)?).ok()?,
        ))
    };
    states.into_iter().filter_map(index).collect()
}

/// Marks the entries that a run of the flow itself may read before it has made one.
pub(super) fn mark_missing(table: &mut Table) {
    let entries = table.latest_entries();
    let of_flow = entries.filter(|(_, entry)| entry.scope == ScopeIx::FLOW);
    let missing: Vec<bool> = of_flow
        .map(|(index, _)| table.may_be_missing(index))
        .collect();
    // The scopes come in order, the flow itself first.
    for (entry, may_be_missing) in table.latest.iter_mut().zip(missing) {
        entry.may_be_missing = may_be_missing;
    }
}

/// What each item of a list starts with: of the entries around the list the one, and of those of its chain the
/// other.
pub(super) fn captures(entries: &[LatestEntry], node: &FlatNode) -> Vec<(LatestIx, LatestIx)> {
    let NodeKind::Each(EachNode { chain, .. }) = &node.spec.kind else {
        return Vec::new();
    };
    let inside = chain.table.latest_entries();
    let inside = inside.filter(|(_, entry)| entry.may_be_missing);
    let captured = inside.filter_map(|(inner, entry)| {
        let state = Name::Owned(entry.state.to_string());
        let around = entries_of(entries, node.scope, [&state]);
        Some((*around.first()?, inner))
    });
    captured.collect()
}
