//! What nodes of a document keep for all others, wherever in the run those are.

use std::sync::Arc;

use super::{erased::ErasedBox, rare::Empty};
use crate::{sorted_map::SortedMap, state::Live};

/// Values by their names.
pub(crate) type RunValues = SortedMap<Arc<str>, Live>;

impl Empty for RunValues {
    const EMPTY: Self = SortedMap::new();

    fn empty() -> &'static Self {
        static EMPTY: RunValues = SortedMap::new();
        &EMPTY
    }

    #[inline(never)]
    fn into_erased(self) -> ErasedBox<Self> {
        Box::new(self)
    }
}
