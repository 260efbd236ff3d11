//! The last states that were made, for the nodes that read them.

use super::{
    erased::ErasedBox,
    frame::Frame,
    rare::{Empty, Rare},
};
use crate::{
    graph::{LatestIx, NodeIx, OutputArc, ScopeIx},
    node::{LatestState, LatestStates},
    sorted_map::SortedMap,
    state::Live,
};

impl Empty for LatestStates {
    const EMPTY: Self = SortedMap::new();

    fn empty() -> &'static Self {
        static EMPTY: LatestStates = SortedMap::new();
        &EMPTY
    }

    #[inline(never)]
    fn into_erased(self) -> ErasedBox<Self> {
        Box::new(self)
    }
}

impl Frame {
    /// Keeps a state as the last of its type, and forgets those of the flows that end with it.
    #[inline]
    pub(super) fn keep_latest(&mut self, arc: &OutputArc, live: &mut Live) {
        if !arc.ends.is_empty() || !arc.kept_as.is_empty() {
            self.keep_latest_slow(arc, live);
        }
    }

    #[inline(never)]
    fn keep_latest_slow(&mut self, arc: &OutputArc, live: &mut Live) {
        for scope in &arc.ends {
            self.forget_latest(*scope);
        }
        for latest in &arc.kept_as {
            live.share();
            self.put_latest(*latest, live.clone());
        }
    }

    /// Like `keep_latest`, for a state that no place takes: it is moved, and not shared.
    pub(super) fn keep_latest_only(&mut self, arc: &OutputArc, mut live: Live) {
        match arc.kept_as[..] {
            [latest] if arc.ends.is_empty() => self.put_latest(latest, live),
            _ => self.keep_latest(arc, &mut live),
        }
    }

    fn put_latest(&mut self, latest: LatestIx, live: Live) {
        let is_captured = false;
        self.latest
            .insert(latest, LatestState { live, is_captured });
    }

    /// Keeps what an item of a list leaves to be read around it.
    pub(super) fn leave(&mut self, states: &[(LatestIx, Live)]) {
        for (latest, live) in states {
            self.put_latest(*latest, live.clone());
        }
    }

    /// Forgets what was made in an inlined flow, and in the flows in it.
    pub(super) fn forget_latest(&mut self, scope: ScopeIx) {
        let Some(latest) = self.latest.get_mut() else {
            return;
        };
        let table = &self.table;
        let of_scope = |latest: &LatestIx| table.is_inlined_in(table.latest(*latest).scope, scope);
        let over: Vec<LatestIx> = latest.keys().copied().filter(of_scope).collect();
        for over in over {
            latest.remove(&over);
        }
    }

    /// Forgets everything: the run is over.
    pub(super) fn forget_all_latest(&mut self) {
        self.latest = Rare::default();
    }

    /// What an item of the list at `node` has as the last states when it starts.
    pub(super) fn latest_for_item(&self, node: NodeIx) -> Rare<LatestStates> {
        let mut captured = Rare::<LatestStates>::default();
        for (around, inside) in &self.table.node(node).captures {
            if let Some(LatestState { live, .. }) = self.latest.get(around) {
                let live = live.clone();
                let is_captured = true;
                captured.insert(*inside, LatestState { live, is_captured });
            }
        }
        captured
    }
}
