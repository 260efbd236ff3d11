//! The inputs of the flows that run, as their bodies and a `catch` see them.

use std::sync::Arc;

use super::frame::Frame;
use crate::{
    graph::{OutputArc, ScopeIx},
    state::Live,
};

impl Frame {
    /// Keeps a state as the input of the flows that start with it, and drops the inputs of those that end
    /// with it.
    pub(super) fn keep_inputs(&mut self, arc: &OutputArc, live: &mut Live) {
        for scope in &arc.starts {
            live.share();
            Arc::make_mut(&mut self.flow_inputs).insert(*scope, live.clone());
        }
        for scope in &arc.ends {
            Arc::make_mut(&mut self.flow_inputs).remove(scope);
        }
    }

    /// Drops the inputs of an inlined flow, and of the flows in it.
    pub(super) fn drop_inputs(&mut self, scope: ScopeIx) {
        let over = self.flow_inputs.keys().copied();
        let over = over.filter(|inner| self.table.is_inlined_in(*inner, scope));
        for inner in over.collect::<Vec<_>>() {
            Arc::make_mut(&mut self.flow_inputs).remove(&inner);
        }
    }

    /// The input of a flow, where a snapshot does not say what it is: what waits for its first node. Where a
    /// flow around it starts with the same state, it is the input of that one: what waits may have come back
    /// there within the inner flow, and be no input of it.
    pub(crate) fn implied_input(&self, scope: ScopeIx) -> Option<&Live> {
        let flow = self.table.scope(scope);
        if let Some(around) = flow.shares_entry_with {
            let input = self.flow_inputs.get(&around);
            return input.filter(|_| self.is_running(scope));
        }
        let first = flow.starts_at.and_then(|place| self.waiting_at(place));
        first.map(|token| &token.live)
    }

    /// Whether anything waits in a flow.
    pub(crate) fn is_running(&self, scope: ScopeIx) -> bool {
        let mut nodes = self.tokens.keys().map(|slot| self.table.slot(*slot).node);
        nodes.any(|node| self.table.is_within(node, scope))
    }
}
