//! Whether the runs of one net can go on in another.

use super::WayOut;
use crate::{Firing, Net, Place};

/// What keeps the runs of another net from going on in this one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Incompatibility {
    /// A run that has just started cannot go on.
    Entry,
    /// A run that can go on before it takes this outcome cannot afterwards.
    Outcome(Firing),
}

impl WayOut {
    /// What keeps the runs of another sound net, `from`, from going on in this one: if the list is empty,
    /// every marking that they reach can finish here. Otherwise a run can be moved here until it takes one
    /// of these outcomes, unless not even the entry is compatible. The entry comes first, then outcomes in
    /// the order of nodes.
    ///
    /// `image` maps each place of `from` to the place of this net that its tokens are moved to, and done to
    /// done. `None` drops them, which is compatible where nothing waits for them. A place that this net lacks
    /// is compatible with nothing.
    ///
    /// The time that this takes is linear in `from`, apart from how much its tokens wait for in this net.
    ///
    /// ```
    /// use pravah_graph::{Firing, Incompatibility, Net, Place, WayOut};
    ///
    /// // draft -> check -> publish, which becomes draft -> publish
    /// let slot = |node| Place::Slot { node, slot: 0 };
    /// let chain = |nodes| {
    ///     let mut net = Net::new();
    ///     let nodes: Vec<_> = (0..nodes).map(|_| net.add_node(1)).collect();
    ///     net.set_entry(slot(nodes[0]));
    ///     for pair in nodes.windows(2) {
    ///         net.add_outcome(pair[0], vec![slot(pair[1])]);
    ///     }
    ///     net.add_outcome(nodes[nodes.len() - 1], vec![Place::Done]);
    ///     (net, nodes)
    /// };
    /// let ((old, from), (new, to)) = (chain(3), chain(2));
    /// let way_out = WayOut::new(&new).unwrap();
    /// let image = |check: Option<Place>| {
    ///     let (from, to) = (&from, &to);
    ///     move |place| match place {
    ///         Place::Done => Some(Place::Done),
    ///         place if place == slot(from[0]) => Some(slot(to[0])),
    ///         place if place == slot(from[1]) => check,
    ///         _ => Some(slot(to[1])),
    ///     }
    /// };
    /// // What waits to be checked is published.
    /// assert_eq!(way_out.incompatibilities(&old, image(Some(slot(to[1])))), []);
    /// // It must not be dropped: from the end of `draft` to that of `check`, nothing would be left of the run.
    /// let [lost, _] = way_out.incompatibilities(&old, image(None))[..] else { panic!() };
    /// assert_eq!(lost, Incompatibility::Outcome(Firing { node: from[0], outcome: 0 }));
    /// ```
    #[must_use]
    pub fn incompatibilities(
        &self,
        from: &Net,
        image: impl Fn(Place) -> Option<Place>,
    ) -> Vec<Incompatibility> {
        let mut found = Vec::new();
        let entry = from.entry().and_then(|entry| self.sum(image(entry)));
        if entry.as_ref() != Some(self.class_of_done()) {
            found.push(Incompatibility::Entry);
        }
        for node in from.ids() {
            let slots = (0..from.slots(node)).map(|slot| Place::Slot { node, slot });
            let before = self.sum(slots.filter_map(&image));
            for (outcome, outputs) in from.outcomes(node).iter().enumerate() {
                let after = self.sum(outputs.iter().filter_map(|&place| image(place)));
                if before.is_none() || before != after {
                    found.push(Incompatibility::Outcome(Firing { node, outcome }));
                }
            }
        }
        found
    }
}
