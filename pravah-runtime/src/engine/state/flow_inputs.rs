//! The inputs of the flows that run, as their bodies and a `catch` see them.

use super::frame::Frame;
use crate::{
    graph::{OutputArc, ScopeIx},
    state::Live,
};

impl Frame {
    /// Keeps a state as the input of the flows that start with it, and drops the inputs of those that end
    /// with it.
    #[inline]
    pub(super) fn keep_inputs(&mut self, arc: &OutputArc, live: &mut Live) {
        if !arc.starts.is_empty() || !arc.ends.is_empty() {
            self.keep_inputs_slow(arc, live);
        }
    }

    #[inline(never)]
    fn keep_inputs_slow(&mut self, arc: &OutputArc, live: &mut Live) {
        for scope in &arc.starts {
            live.share();
            self.flow_inputs.insert(*scope, live.clone());
        }
        for scope in &arc.ends {
            self.flow_inputs.remove(scope);
        }
    }

    /// Drops the inputs of an inlined flow, and of the flows in it.
    pub(super) fn drop_inputs(&mut self, scope: ScopeIx) {
        let over = self.flow_inputs.keys().copied();
        let over = over.filter(|inner| self.table.is_inlined_in(*inner, scope));
        for inner in over.collect::<Vec<_>>() {
            self.flow_inputs.remove(&inner);
        }
    }

    /// What waits for the first node of a flow: its input, unless a node within the flow has returned it.
    pub(crate) fn waiting_at_start(&self, scope: ScopeIx) -> Option<&Live> {
        let mut places = self.table.scope(scope).starts_at.iter();
        let token = places.find_map(|place| self.waiting_at(*place))?;
        Some(&token.live)
    }

    /// The flow around this one that starts with the same state, where both have the same input.
    pub(crate) fn shares_input_with(&self, scope: ScopeIx) -> Option<ScopeIx> {
        let around = self.table.scope(scope).shares_entry_with?;
        let inputs = [scope, around].map(|scope| self.flow_inputs.get(&scope));
        let [Some(own), Some(other)] = inputs else {
            return None;
        };
        own.is_same(other).then_some(around)
    }

    /// Whether something waits in a flow whose input was not known when the run was loaded.
    pub(crate) fn lacks_input(&self, scope: ScopeIx) -> bool {
        self.progress.unknown_inputs.contains(&scope)
            && !self.flow_inputs.contains(&scope)
            && self.is_running(scope)
    }

    /// Whether anything waits in a flow.
    pub(crate) fn is_running(&self, scope: ScopeIx) -> bool {
        self.waiting_within(scope).next().is_some()
    }
}
