//! How the caller wants a run to go; not part of its snapshot.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
    time::Duration,
};

use super::state::rare::Empty;
use crate::{
    events::Observers,
    model::{ClientFactory, ModelOptions, ModelUrl},
};

/// How the caller wants the run to go, where it says so; not part of its snapshot.
pub(super) struct Options {
    pub(super) models: BTreeMap<String, ModelUrl>,
    pub(super) model_options: BTreeMap<String, ModelOptions>,
    pub(super) max_steps: Option<u64>,
    pub(super) observers: Observers,
    /// The last step that they were told of.
    pub(super) told: u64,
    /// How many bodies may be in flight.
    pub(super) concurrency: usize,
    /// How long bodies in flight have to end when the run is cancelled.
    pub(super) cancel_grace: Duration,
}

impl Empty for Options {
    const EMPTY: Self = Self {
        models: BTreeMap::new(),
        model_options: BTreeMap::new(),
        max_steps: None,
        observers: Observers::NOBODY,
        told: 0,
        concurrency: 1,
        cancel_grace: Duration::ZERO,
    };

    fn empty() -> &'static Self {
        static EMPTY: Options = Options::EMPTY;
        &EMPTY
    }
}

/// Where a run's agents find their models.
#[derive(Default)]
pub(super) struct Factory {
    /// What the caller set for the run.
    pub(super) of_run: Option<Arc<ClientFactory>>,
    /// What it takes where neither the caller nor the context brings one: most runs never need it.
    pub(super) default: OnceLock<Arc<ClientFactory>>,
    /// Whether its script answers for no node that the flow does not have.
    pub(super) is_checked: bool,
}

impl Factory {
    pub(super) fn of_run(factory: ClientFactory) -> Self {
        Self {
            of_run: Some(Arc::new(factory)),
            ..Self::default()
        }
    }
}
