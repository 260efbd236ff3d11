//! What nodes of a document keep for all others, wherever in the run those are.

use std::sync::Arc;

use super::{
    RunState,
    path::NodePath,
    rare::{Empty, HeldBox},
};
use crate::{
    node::{Emission, Emitted},
    sorted_map::SortedMap,
    state::Live,
};

/// Values by their names.
pub(crate) type RunValues = SortedMap<Arc<str>, Live>;

impl Empty for RunValues {
    const EMPTY: Self = SortedMap::new();

    fn empty() -> &'static Self {
        static EMPTY: RunValues = SortedMap::new();
        &EMPTY
    }

    #[inline(never)]
    fn held(self) -> HeldBox<Self> {
        Box::new(self)
    }
}

impl RunState {
    /// Keeps what the rules of a node take out of its output.
    pub(super) fn keep_value(&mut self, path: &NodePath, emitted: &Emitted) {
        let entry = self.frame(&path.frame).table.node(path.node);
        let (Some(rules), Emission::Branch(_, output)) = (&entry.rules, &emitted.0) else {
            return;
        };
        if let Some((name, value)) = rules.rules.keeps(output) {
            self.values.insert(name, value.in_cell());
        }
    }
}
