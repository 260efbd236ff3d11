//! Walking over the frames of a run.

use std::convert::Infallible;

use super::{
    frame::Frame,
    path::{FramePath, ItemId},
};
use crate::graph::NodeIx;

impl Frame {
    /// Visits the frame, which `at` leads to, and then those of the items in it, up to the first error.
    pub(crate) fn try_walk<E>(
        &self,
        at: &FramePath,
        visit: &mut impl FnMut(&FramePath, &Self) -> Result<(), E>,
    ) -> Result<(), E> {
        visit(at, self)?;
        for (node, list) in self.progress.lists.iter() {
            for (index, item) in list.items.iter() {
                let (list, index) = (*node, *index);
                item.try_walk(&[at, &[ItemId { list, index }]].concat(), visit)?;
            }
        }
        Ok(())
    }

    /// Visits the frame of a flow, and then those of the items in it.
    pub(crate) fn walk(&self, mut visit: impl FnMut(&FramePath, &Self)) {
        let Ok(()) = self.try_walk(&[], &mut |at, frame| {
            visit(at, frame);
            Ok::<_, Infallible>(())
        });
    }

    /// The nodes that have all the states that they take.
    pub(crate) fn fed_nodes(&self) -> impl Iterator<Item = NodeIx> {
        let nodes = self.tokens.keys().map(|slot| self.table.slot(*slot).node);
        nodes.filter(|node| self.is_fed(*node))
    }
}
