//! Walking over the frames of a run.

use std::convert::Infallible;

use super::{
    frame::Frame,
    path::{FramePath, FramePathBuf, ItemId},
};
use crate::graph::NodeIx;

impl Frame {
    /// Visits the frame of a flow, and then those of the items in it, up to the first error.
    pub(crate) fn try_walk<E>(
        &self,
        mut visit: impl FnMut(&FramePath, &Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.walk_from(&mut FramePathBuf::new(), &mut visit)
    }

    /// Visits the frame of a flow, and then those of the items in it.
    pub(crate) fn walk(&self, mut visit: impl FnMut(&FramePath, &Self)) {
        let Ok(()) = self.try_walk(|at, frame| {
            visit(at, frame);
            Ok::<_, Infallible>(())
        });
    }

    /// Walks on from the frame that `at` leads to, which is the same again afterwards.
    fn walk_from<E>(
        &self,
        at: &mut FramePathBuf,
        visit: &mut impl FnMut(&FramePath, &Self) -> Result<(), E>,
    ) -> Result<(), E> {
        visit(at, self)?;
        for (node, list) in self.progress.lists.iter() {
            for (index, item) in list.items.iter() {
                let (list, index) = (*node, *index);
                at.push(ItemId { list, index });
                item.walk_from(at, visit)?;
                at.pop();
            }
        }
        Ok(())
    }

    /// The nodes where detached tasks are.
    pub(crate) fn detached_nodes(&self) -> impl Iterator<Item = NodeIx> {
        let lists = self.progress.lists.keys().copied();
        lists.filter(|node| self.table.node(*node).kind.is_detached())
    }

    /// The nodes that have all the states that they take.
    pub(crate) fn fed_nodes(&self) -> impl Iterator<Item = NodeIx> {
        let nodes = self.tokens.keys().map(|slot| self.table.slot(*slot).node);
        nodes.filter(|node| self.is_fed(*node))
    }
}
