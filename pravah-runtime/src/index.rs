//! The parts of a linked graph by their numbers, and what they are called.

/// The index of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeIx(pub(crate) u32);

/// The index of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StateIx(pub(crate) u32);

/// The index of a slot: a parameter of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SlotIx(pub(crate) u32);

/// The index of a flow in its graph: the flow itself, or one inlined in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ScopeIx(pub(crate) u32);

impl ScopeIx {
    /// The flow itself.
    pub(crate) const FLOW: Self = Self(0);
}

/// The index of a state that is read in a flow, of which the last that was made is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LatestIx(pub(crate) u32);

/// Where a state waits: in a slot, as one of the states that can fill it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) slot: SlotIx,
    pub(crate) branch: u32,
}

/// What the parts of a graph are called.
pub(crate) trait Names {
    /// What the state is called in snapshots that waits at a place.
    fn place_key(&self, place: Place) -> &str;

    /// The schema name of a state that is read.
    fn latest_name(&self, latest: LatestIx) -> &str;
}
