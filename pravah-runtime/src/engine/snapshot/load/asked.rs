//! How often the models of agents were asked.

use std::sync::Arc;

use super::{
    super::{
        super::state::{
            asked::{RequestCounts, VisitCounts},
            path::{FramePathBuf, ItemId, NodePath},
        },
        map::Map,
        stored::{Key, Loaded, StoredAsked, sections},
    },
    Loader, OnError,
};
use crate::graph::{NodeKind, Table};

impl Loader<'_> {
    /// An agent that was asked need not wait any more: only the net has to have such a place.
    pub(super) fn asked(
        &mut self,
        table: &Arc<Table>,
        stored: Map<Key<'_>, StoredAsked<'_>>,
    ) -> Loaded<RequestCounts> {
        let mut asked = RequestCounts::default();
        self.section(
            (sections::asked, stored, OnError::Drop),
            |loader, _, stored| {
                let path = loader.path(table, &stored)?;
                let counts = VisitCounts {
                    last_visit: stored.visit.into_owned().into(),
                    counts: stored.counts.into_owned().into(),
                };
                if asked.contains(&path) {
                    let node = &stored.node;
                    return Err(format!("the model requests of `{node}` are counted twice").into());
                }
                asked.insert(path, Arc::new(counts));
                Ok(())
            },
        )?;
        Ok(asked)
    }

    fn path(&self, table: &Arc<Table>, stored: &StoredAsked<'_>) -> Loaded<NodePath> {
        let mut inside = table;
        let mut frame = FramePathBuf::with_capacity(stored.items.len());
        for (id, index) in &stored.items {
            let list = self.node(inside, id)?;
            let chain = inside.inner(list);
            inside = chain.ok_or_else(|| format!("`{id}` is not a list"))?;
            frame.push(ItemId {
                list,
                index: *index,
            });
        }
        let node = self.node(inside, &stored.node)?;
        if !matches!(inside.node(node).kind, NodeKind::Agent(_)) {
            return Err(format!("`{}` is not an agent", stored.node).into());
        }
        Ok(NodePath { frame, node })
    }
}
