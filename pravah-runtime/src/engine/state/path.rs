//! Where something is in a run: in the flow itself, or in an item of a list, or of a list in that.

use std::{cmp::Ordering, fmt::Write as _};

use smallvec::SmallVec;

use crate::graph::NodeIx;

/// An item of a list, by the node that the list is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ItemId {
    pub(crate) list: NodeIx,
    pub(crate) index: usize,
}

/// The items that lead to a frame, outermost first; empty for the flow itself.
pub(crate) type FramePath = [ItemId];

/// An owned [`FramePath`]. Most frames are the flow itself or an item of one of its lists: their paths need no allocation.
pub(crate) type FramePathBuf = SmallVec<[ItemId; 1]>;

/// Where a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NodePath {
    pub(crate) frame: FramePathBuf,
    pub(crate) node: NodeIx,
}

impl NodePath {
    pub(crate) fn new(frame: &FramePath, node: NodeIx) -> Self {
        Self {
            frame: frame.into(),
            node,
        }
    }

    /// A node of the flow itself.
    #[inline]
    pub(crate) fn of(node: NodeIx) -> Self {
        Self {
            frame: FramePathBuf::new_const(),
            node,
        }
    }

    pub(crate) fn is(&self, frame: &FramePath, node: NodeIx) -> bool {
        self.node == node && self.frame.as_slice() == frame
    }

    /// The indices of the items that it is in, outermost first.
    pub(crate) fn items(&self) -> impl Iterator<Item = usize> {
        self.frame.iter().map(|item| item.index)
    }

    /// Whether it is that node, or in an item of it.
    pub(crate) fn is_within(&self, frame: &FramePath, node: NodeIx) -> bool {
        match self.frame.strip_prefix(frame) {
            Some([item, ..]) => item.list == node,
            Some([]) => self.node == node,
            None => false,
        }
    }

    /// Whether it is in that item of a node in `frame`.
    pub(crate) fn is_in_item(&self, frame: &FramePath, item: ItemId) -> bool {
        self.frame
            .strip_prefix(frame)
            .is_some_and(|rest| rest.first() == Some(&item))
    }

    /// The lists around it, and then its node.
    fn nodes(&self) -> impl Iterator<Item = NodeIx> {
        let lists = self.frame.iter().map(|item| item.list);
        lists.chain([self.node])
    }
}

/// What is within a node comes right after it.
impl Ord for NodePath {
    fn cmp(&self, other: &Self) -> Ordering {
        let mut indices = self.items().zip(other.items());
        for (one, another) in self.nodes().zip(other.nodes()) {
            let by_node = one.cmp(&another);
            let by_index = || {
                indices
                    .next()
                    .map_or(Ordering::Equal, |(one, another)| one.cmp(&another))
            };
            let order = by_node.then_with(by_index);
            if order.is_ne() {
                return order;
            }
        }
        self.frame.len().cmp(&other.frame.len())
    }
}

impl PartialOrd for NodePath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A name with the items that it is in: `name[0]`.
pub(crate) fn within_items(name: &str, frame: &FramePath) -> String {
    let mut name = name.to_owned();
    for item in frame {
        // Writing to a string does not fail.
        let _ = write!(name, "[{}]", item.index);
    }
    name
}
