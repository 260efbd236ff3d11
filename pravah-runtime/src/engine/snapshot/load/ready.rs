//! Which nodes can move, and in which order.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    super::{
        super::state::frame::Frame,
        check::{check_ready, waits_for_others},
        map::Map,
        stored::{Key, Loaded},
    },
    Loader,
};
use crate::graph::NodeIx;

impl Loader<'_> {
    /// Restores the ready queue. If the snapshot lists none, the one node that `sole_ready` finds is ready. In
    /// another version other nodes may be fed: they come after those.
    pub(super) fn ready(&self, frame: &mut Frame, stored: Map<Key<'_>, u64>) -> Loaded<()> {
        match (self.revalidates, stored.is_empty()) {
            (true, _) => {
                self.rebuild_ready(frame, stored);
                frame.pass_anew(self.next_step);
            }
            (false, false) => self.listed_ready(frame, stored)?,
            (false, true) => {
                if let Some((since, node)) = frame.sole_ready() {
                    frame.set_ready(node, since);
                    if frame.progress.is_unchanged() {
                        // It takes everything that waits, and nothing keeps it.
                        return Ok(());
                    }
                }
            }
        }
        check_ready(frame)
    }

    fn listed_ready(&self, frame: &mut Frame, stored: Map<Key<'_>, u64>) -> Loaded<()> {
        for (id, since) in stored {
            let node = self.node(&frame.table, &id)?;
            if !frame.is_fed(node) {
                let id = frame.table.node_id(node);
                return Err(
                    format!("`{id}` is ready, and yet not all of its states are there").into(),
                );
            }
            frame.set_ready(node, since);
        }
        Ok(())
    }

    fn rebuild_ready(&self, frame: &mut Frame, stored: Map<Key<'_>, u64>) {
        let table = Arc::clone(&frame.table);
        let mut known: BTreeMap<NodeIx, u64> = BTreeMap::new();
        for (id, since) in stored {
            if let Ok(node) = self.node(&table, &id) {
                let last = known.entry(node).or_default();
                *last = since.max(*last);
            }
        }
        let mut nodes: Vec<NodeIx> = frame.fed_nodes().collect();
        // The slots of a node are next to each other.
        nodes.dedup();
        // Detached tasks take no states.
        nodes.extend(frame.detached_nodes());
        for node in nodes {
            let since = known.get(&node).copied();
            let is_ready = match frame.progress.lists.contains(&node) {
                true => frame.can_move_in(node),
                false => since.is_some() || !waits_for_others(frame, node),
            };
            if is_ready {
                frame.set_ready(node, since.unwrap_or(self.next_step));
            }
        }
    }
}
