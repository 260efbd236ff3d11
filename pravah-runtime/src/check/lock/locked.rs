//! The net of a released version, as the macro reads it from the lock.

/// A lock file.
#[derive(Clone, Copy)]
pub struct FlowLock {
    /// The id of the flow.
    pub flow: &'static str,
    /// Whether the flow that names the file has a name of its own, and not that of its input.
    pub is_named: bool,
    pub versions: &'static [LockedVersion],
}

/// A released version of a flow.
#[derive(Clone, Copy)]
pub struct LockedVersion {
    pub release: &'static str,
    pub net: &'static LockedNet,
}

/// The net of a flow, or of the chain of a list. Places are referred to by their numbers.
#[derive(Clone, Copy)]
pub struct LockedNet {
    pub places: &'static [LockedPlace],
    /// What a run starts with.
    pub start: &'static [usize],
    pub moves: &'static [LockedMove],
    /// The chains of lists, each with the place where the list waits.
    pub chains: &'static [(usize, &'static LockedNet)],
}

/// Where a state waits.
#[derive(Clone, Copy)]
pub struct LockedPlace {
    /// What it is called in snapshots.
    pub key: &'static str,
    /// The node that takes it, with the parameter where it takes several of them.
    pub taker: &'static str,
    /// A move that leaves it.
    pub left_by: Option<usize>,
}

/// A step that a node may make.
#[derive(Clone, Copy)]
pub struct LockedMove {
    pub node: &'static str,
    /// A move that leads to it.
    pub before: Option<usize>,
    pub takes: &'static [usize],
    /// Nothing is left at the end.
    pub leaves: &'static [usize],
}

/// What a migration does.
#[derive(Clone, Copy)]
pub struct MovedState {
    /// The name of its function.
    pub migration: &'static str,
    /// The state of an earlier version.
    pub key: &'static str,
    /// What it makes of that.
    pub to: &'static str,
    /// Whether it moves the state, which has no place any more, and does not only read it.
    pub is_moved: bool,
}
