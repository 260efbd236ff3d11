//! How deeply bodies and regions are within each other.

#![expect(
    clippy::indexing_slicing,
    reason = "nodes and edges are numbered by their own tables"
)]

use super::{MAX_NESTING, Net};
use crate::read::Context;

impl Net<'_> {
    /// Reports the first node that is nested too deeply.
    pub(super) fn check_nesting(&self, context: &mut Context<'_, '_>) {
        let regions = self.region_depths();
        let mut is_reported = false;
        let mut depths: Vec<Option<usize>> = vec![None; self.drafts.len()];
        for start in 0..self.drafts.len() {
            let mut path = vec![start];
            while let Some(node) = path.last().copied() {
                match self.parent[node] {
                    Some(owner) if depths[owner].is_none() => path.push(owner),
                    owner => {
                        let outside = owner
                            .and_then(|owner| depths[owner])
                            .map_or(0, |depth| depth + 1);
                        let inside = self.region[node].map_or(0, |region| regions[region]);
                        let depth = outside + inside;
                        depths[node] = Some(depth);
                        path.pop();
                        if depth > MAX_NESTING && !is_reported {
                            is_reported = true;
                            let message = format!(
                                "`{}` is within more than {MAX_NESTING} bodies and loops",
                                self.id(node)
                            );
                            let span = self.region[node]
                                .map_or(self.drafts[node].id.span, |region| self.loop_span(region));
                            context.sink.push("too-deep", span, message);
                        }
                    }
                }
            }
        }
    }

    /// How many regions each region is within, itself included. Outer regions come later than inner ones.
    fn region_depths(&self) -> Vec<usize> {
        let mut depths = vec![1; self.regions.len()];
        for (index, region) in self.regions.iter().enumerate().rev() {
            if let Some(outer) = region.outer {
                depths[index] = depths[outer] + 1;
            }
        }
        depths
    }
}
