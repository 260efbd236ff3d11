//! Whether a node may read what is not there: a state before one was made, asked of the chain of a list, whose items may
//! start with what was made before it, and of what waits in a snapshot; and the input of a flow around it that a
//! snapshot lacks.

use pravah_graph::{Net, NodeId, Place as NetPlace};

use crate::graph::{
    LatestIx, NodeIx, OutputArc, Place, ScopeIx, SlotIx, StateIx, Table, table::NodeEntry,
};

impl Table {
    /// A node that reads `latest`, as itself or for the items of the list that it is, and that a run may come to
    /// from what waits in these slots before one is made.
    pub(crate) fn reader_before_value(
        &self,
        latest: LatestIx,
        waiting: impl IntoIterator<Item = SlotIx>,
    ) -> Option<NodeIx> {
        let makes = |arc: &OutputArc| arc.kept_as.contains(&latest);
        let net = self.net_without(self.latest(latest).scope, &makes);
        self.readers_in(&net, waiting, |node| node.reads(latest))
            .next()
    }

    /// A node that asks for the input of the flow `scope`, and that a run may come to from what waits in these slots
    /// without starting that flow anew.
    pub(crate) fn reader_of_input(
        &self,
        scope: ScopeIx,
        waiting: impl IntoIterator<Item = SlotIx>,
    ) -> Option<NodeIx> {
        let net = self.net_until_restart(scope)?;
        self.readers_in(&net, waiting, |node| node.inputs.contains(&scope))
            .next()
    }

    /// The nodes whose states may lead to one that asks for the input of the flow `scope`, if a run waits in some of these
    /// slots.
    pub(crate) fn nodes_before_readers_of_input(
        &self,
        scope: ScopeIx,
        waiting: impl IntoIterator<Item = SlotIx>,
    ) -> Vec<NodeIx> {
        let Some(net) = self.net_until_restart(scope) else {
            return Vec::new();
        };
        let readers = self.readers_in(&net, waiting, |node| node.inputs.contains(&scope));
        let before = net.leading_to(readers.map(|reader| NodeId(reader.0 as usize)));
        before.into_iter().map(|id| NodeIx(id.0 as u32)).collect()
    }

    /// The nodes within a flow, without what starts the flow anew, if one of them asks for its input.
    fn net_until_restart(&self, scope: ScopeIx) -> Option<Net> {
        let mut nodes = self.nodes.iter();
        let asks = nodes.any(|node| node.inputs.contains(&scope));
        asks.then(|| self.net_without(scope, &|arc| arc.starts.contains(&scope)))
    }

    fn readers_in(
        &self,
        net: &Net,
        waiting: impl IntoIterator<Item = SlotIx>,
        reads: impl Fn(&NodeEntry) -> bool,
    ) -> impl Iterator<Item = NodeIx> {
        let places = waiting.into_iter().map(|slot| self.net_place(slot));
        let places: Vec<NetPlace> = places.collect();
        let nodes = (0..).map(NodeIx).zip(&self.nodes);
        let readers = nodes.filter(move |(index, node)| {
            reads(node) && net.can_fire(places.iter().copied(), NodeId(index.0 as usize))
        });
        readers.map(|(index, _)| index)
    }

    /// The state that `latest` keeps, if anything makes it.
    pub(crate) fn state_of_latest(&self, latest: LatestIx) -> Option<StateIx> {
        let mut arcs = self.arcs();
        let arc = arcs.find(|arc| arc.kept_as.contains(&latest))?;
        Some(arc.state)
    }

    /// Whether `latest` is the flow's input, and no node makes one.
    pub(crate) fn is_input_alone(&self, latest: LatestIx) -> bool {
        let makers = self.arcs().filter(|arc| arc.kept_as.contains(&latest));
        self.entry.kept_as.contains(&latest) && makers.count() == 1
    }

    /// Whether all that comes to a place starts this flow.
    pub(crate) fn is_entrance(&self, place: Place, scope: ScopeIx) -> bool {
        let mut arcs = self.arcs().filter(|arc| arc.to.contains(&place));
        arcs.all(|arc| arc.starts.contains(&scope))
    }

    fn arcs(&self) -> impl Iterator<Item = &OutputArc> {
        let nodes = self.nodes.iter().flat_map(NodeEntry::outcomes).flatten();
        let caught = self.scopes.iter().filter_map(|scope| scope.catch.as_ref());
        let caught = caught.map(|(arc, _)| arc);
        nodes.chain(caught).chain([&self.entry])
    }

    /// Whether a run from the start may read `latest` before one is made.
    pub(super) fn may_be_missing(&self, latest: LatestIx) -> bool {
        let entry = self.entry.to.iter().map(|place| place.slot);
        !self.entry.kept_as.contains(&latest) && self.reader_before_value(latest, entry).is_some()
    }

    /// The nodes within a flow, without the outcomes that make what is missing and without what leaves the flow.
    fn net_without(&self, scope: ScopeIx, makes: &dyn Fn(&OutputArc) -> bool) -> Net {
        let mut net = Net::new();
        for node in &self.nodes {
            net.add_node(node.slots.len());
        }
        let is_made = |arcs: &[&OutputArc]| arcs.iter().any(|arc| makes(arc));
        for (index, node) in (0..).map(NodeIx).zip(&self.nodes) {
            if !self.is_within(index, scope) {
                continue;
            }
            for arcs in node.outcomes() {
                if !is_made(&arcs) {
                    let stays = arcs.iter().filter(|arc| !arc.ends.contains(&scope));
                    let places = stays.flat_map(|arc| &arc.to);
                    let places = places.map(|place| self.net_place(place.slot));
                    net.add_outcome(NodeId(index.0 as usize), places.collect());
                }
            }
            // Whatever fails within a flow with a `catch`, the flow is left by it.
            let around = self.scopes_of(index);
            let inside = around.take_while(|(around, _)| *around != scope);
            for (arc, _) in inside.filter_map(|(_, it)| it.catch.as_ref()) {
                if !is_made(&[arc]) && !arc.ends.contains(&scope) {
                    let places = arc.to.iter().map(|place| self.net_place(place.slot));
                    net.add_outcome(NodeId(index.0 as usize), places.collect());
                }
            }
        }
        net
    }
}

impl NodeEntry {
    /// Whether the node reads it, or the items of the list that it is start with it.
    fn reads(&self, latest: LatestIx) -> bool {
        self.reads.contains(&latest) || self.captures.iter().any(|(around, _)| *around == latest)
    }
}
