//! The workflow net that a table is, for asking which markings of it can finish.

use pravah_graph::{Net, NodeId, Place as NetPlace, WayOut};

use super::{OutputArc, Place, SlotIx, Table, table::NodeEntry};
use crate::node::ShapeKind;

impl Table {
    /// Which markings can finish; made when one first asks. `None` if the net is not sound, which no
    /// graph is that was built.
    pub(crate) fn way_out(&self) -> Option<&WayOut> {
        let way_out = self.way_out.get_or_init(|| WayOut::new(&self.net()));
        way_out.as_ref()
    }

    /// The place of a slot in the net.
    pub(crate) fn net_place(&self, slot: SlotIx) -> NetPlace {
        let node = self.slot(slot).node;
        let first = self.node(node).slots.first();
        let first = first.map_or(0, |first| first.0);
        NetPlace::Slot {
            node: NodeId(node.0 as usize),
            slot: slot.0.saturating_sub(first) as usize,
        }
    }

    /// What the states are called that wait at a place of the net.
    pub(crate) fn net_place_name(&self, place: NetPlace) -> String {
        let NetPlace::Slot { node, slot } = place else {
            return self.state_key(self.output).to_string();
        };
        let slots = self.nodes.get(node.0).map(|node| &node.slots);
        let slot = slots.and_then(|slots| slots.get(slot));
        let states = slot.map(|slot| &self.slot(*slot).states);
        let names = states.into_iter().flatten();
        let names: Vec<&str> = names.map(|state| &**self.state_key(*state)).collect();
        names.join("` or `")
    }

    pub(crate) fn net(&self) -> Net {
        let mut net = Net::new();
        for node in &self.nodes {
            net.add_node(node.slots.len());
        }
        for (index, node) in self.nodes.iter().enumerate() {
            self.add_outcomes(&mut net, NodeId(index), node);
        }
        // A `catch` around an inlined flow empties it, which is as if its first node had failed.
        for scope in &self.scopes {
            if let (Some(start), Some((arc, _))) = (scope.starts_at, &scope.catch) {
                let first = NodeId(self.slot(start.slot).node.0 as usize);
                net.add_outcome(first, vec![self.arc_place(arc)]);
            }
        }
        net.set_entry(self.arc_place(&self.entry));
        net
    }

    fn add_outcomes(&self, net: &mut Net, id: NodeId, node: &NodeEntry) {
        let mut places = node.outputs.iter().map(|arc| self.arc_place(arc));
        match node.shape {
            ShapeKind::Choice => places.for_each(|place| {
                net.add_outcome(id, vec![place]);
            }),
            ShapeKind::One | ShapeKind::Fork => {
                net.add_outcome(id, places.by_ref().collect());
            }
        }
        if let Some((arc, _)) = &node.catch {
            net.add_outcome(id, vec![self.arc_place(arc)]);
        }
    }

    fn arc_place(&self, arc: &OutputArc) -> NetPlace {
        match arc.to {
            Some(Place { slot, .. }) => self.net_place(slot),
            None => NetPlace::Done,
        }
    }
}
