//! What models have cost a run, and how often they were asked.

use std::sync::Arc;

use super::{budget::Budget, progress::AskedModels, rare::Empty};
use crate::{model::Usage, sorted_map::SortedMap};

/// What models have cost a run, what they may cost, and what they were asked.
#[derive(Clone)]
pub(crate) struct Spending {
    /// By node.
    pub(crate) usage: SortedMap<Arc<str>, Usage>,
    /// How many model calls were paid for.
    pub(crate) calls: u64,
    /// How many calls and tokens the whole run may use.
    pub(crate) budget: Budget,
    /// How often the models of each agent were asked.
    pub(crate) asked: AskedModels,
}

impl Empty for Spending {
    const EMPTY: Self = Self {
        usage: SortedMap::new(),
        calls: 0,
        budget: Budget::UNLIMITED,
        asked: SortedMap::new(),
    };

    fn empty() -> &'static Self {
        static EMPTY: Spending = Spending::EMPTY;
        &EMPTY
    }
}
