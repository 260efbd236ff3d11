//! The workflow net that a table is, for asking which markings of it can finish.

use std::collections::BTreeMap;

use pravah_graph::{Net, NodeId, Place as NetPlace, WayOut};

use super::{OutputArc, Place, ScopeIx, SlotIx, Table};

impl Table {
    /// Which markings can finish; made when one first asks. `None` if the net is not sound, which no
    /// graph is that was built.
    pub(crate) fn way_out(&self) -> Option<&WayOut> {
        let way_out = self.way_out.get_or_init(|| WayOut::new(&self.net()));
        way_out.as_ref()
    }

    /// Whether a state can finish that waits in this slot, where no other waits.
    pub(crate) fn finishes_alone(&self, slot: SlotIx) -> bool {
        let finishing = self.finishing.get_or_init(|| {
            let way_out = self.way_out();
            let can_finish = |slot| {
                let (these, done) = ([self.net_place(slot)], [NetPlace::Done]);
                way_out.is_some_and(|it| it.are_interchangeable(these, done))
            };
            let slots = (0..).map(SlotIx).take(self.slots.len());
            slots.map(can_finish).collect()
        });
        finishing.get(slot.0 as usize).is_some_and(|it| *it)
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

    /// Whether states wait at a place of the net: not before a node that is in the net alone.
    pub(crate) fn is_place(&self, place: NetPlace) -> bool {
        match place {
            NetPlace::Slot { node, .. } => node.0 < self.nodes.len(),
            NetPlace::Done => true,
        }
    }

    /// What the states are called that wait at a place of the net.
    pub(crate) fn net_place_name(&self, place: NetPlace) -> String {
        let NetPlace::Slot { node, slot } = place else {
            return self.state_key(self.output).to_string();
        };
        let slots = self.nodes.get(node.0).map(|node| &node.slots);
        let slot = slots.and_then(|slots| slots.get(slot));
        let keys = slot.map(|slot| &self.slot(*slot).keys);
        let keys: Vec<&str> = keys.into_iter().flatten().map(|key| &**key).collect();
        keys.join("` or `")
    }

    pub(crate) fn net(&self) -> Net {
        let mut net = Net::new();
        for node in &self.nodes {
            net.add_node(node.slots.len());
        }
        let entrances = self.entrances(&mut net);
        for (index, node) in self.nodes.iter().enumerate() {
            for arcs in node.outcomes() {
                let places = arcs.into_iter();
                let places = places.flat_map(|arc| self.arc_places(arc, &entrances));
                net.add_outcome(NodeId(index), places.collect());
            }
        }
        let scopes = self.scopes.iter().zip(0..);
        for (scope, index) in scopes {
            let start = match (entrances.get(&ScopeIx(index)), &*scope.starts_at) {
                (Some(entrance), _) => *entrance,
                (None, [start]) => NodeId(self.slot(start.slot).node.0 as usize),
                (None, _) => continue,
            };
            // A `catch` around an inlined flow empties it, which is as if it had failed at its start.
            if let Some((arc, _)) = &scope.catch {
                net.add_outcome(start, self.arc_places(arc, &entrances));
            }
        }
        match *self.arc_places(&self.entry, &entrances) {
            [entry] => net.set_entry(entry),
            ref several => {
                let start = net.add_node(1);
                net.add_outcome(start, several.to_vec());
                net.set_entry(entrance_place(start));
            }
        }
        net
    }

    /// Nodes of the net alone: for each scope that starts at several places and can fail as a whole, one before
    /// them.
    fn entrances(&self, net: &mut Net) -> Entrances {
        let scopes = self.scopes.iter().zip(0..);
        let forked = scopes.filter(|(scope, _)| scope.starts_at.len() > 1 && scope.catch.is_some());
        let entrances: Entrances = forked
            .map(|(_, index)| (ScopeIx(index), net.add_node(1)))
            .collect();
        for (scope, node) in &entrances {
            let starts_at = &self.scope(*scope).starts_at;
            let within = |inner: ScopeIx| inner != *scope && self.is_inlined_in(inner, *scope);
            net.add_outcome(*node, self.places_behind(starts_at, within, &entrances));
        }
        entrances
    }

    fn arc_places(&self, arc: &OutputArc, entrances: &Entrances) -> Vec<NetPlace> {
        match arc.is_output {
            true => vec![NetPlace::Done],
            false => self.places_behind(&arc.to, |scope| arc.starts.contains(&scope), entrances),
        }
    }

    /// The places of the net for those of the table, where `is_entered` says which scopes are entered on the
    /// way there.
    fn places_behind(
        &self,
        places: &[Place],
        is_entered: impl Fn(ScopeIx) -> bool,
        entrances: &Entrances,
    ) -> Vec<NetPlace> {
        let mut behind: Vec<NetPlace> = Vec::with_capacity(places.len());
        for place in places {
            let scopes = self.scopes_of(self.slot(place.slot).node);
            let entered = scopes
                .filter(|(index, scope)| is_entered(*index) && scope.starts_at.contains(place));
            // The outermost is entered first.
            let entrance = entered
                .filter_map(|(index, _)| entrances.get(&index))
                .last();
            match entrance.map(|entrance| entrance_place(*entrance)) {
                Some(entrance) if behind.contains(&entrance) => {}
                Some(entrance) => behind.push(entrance),
                None => behind.push(self.net_place(place.slot)),
            }
        }
        behind
    }
}

/// The nodes of a net before the places where a scope starts.
type Entrances = BTreeMap<ScopeIx, NodeId>;

fn entrance_place(node: NodeId) -> NetPlace {
    NetPlace::Slot { node, slot: 0 }
}
