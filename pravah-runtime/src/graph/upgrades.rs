//! What a flow says of its earlier versions.

use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, OnceLock},
};

use super::{FlowGraph, FlowVersion};
use crate::{
    engine::LoadOptions,
    lock::{FlowLock, LockedVersion},
};

/// The lock of a flow, and its migrations.
#[derive(Default)]
pub(crate) struct Upgrades {
    /// The text of the lock.
    lock: &'static str,
    /// The versions in it, read when a run of another version is first loaded.
    versions: OnceLock<Vec<FlowVersion>>,
    migrations: LoadOptions,
}

impl Upgrades {
    /// The options, with what the flow itself says.
    pub(crate) fn and<'a>(self: &Arc<Self>, options: &'a LoadOptions) -> Cow<'a, LoadOptions> {
        if self.lock.is_empty() && self.migrations.has_no_migrations() {
            return Cow::Borrowed(options);
        }
        Cow::Owned(options.clone().with_upgrades(self, &self.migrations))
    }

    /// The versions in the lock.
    pub(crate) fn versions(&self) -> &[FlowVersion] {
        self.versions.get_or_init(|| {
            // The macro has read it, so that it is one, or is empty.
            let lock = FlowLock::from_json(self.lock).ok();
            let versions = lock.iter().flat_map(FlowLock::versions);
            versions.map(LockedVersion::version).collect()
        })
    }
}

impl fmt::Debug for Upgrades {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upgrades")
            .field("migrations", &self.migrations)
            .finish_non_exhaustive()
    }
}

impl FlowGraph {
    /// The same graph, with the text of its lock and its migrations.
    #[doc(hidden)]
    #[must_use]
    pub fn with_upgrades(
        mut self,
        lock: &'static str,
        migrations: &[fn(LoadOptions) -> LoadOptions],
    ) -> Self {
        let add = |options, add: &fn(LoadOptions) -> LoadOptions| add(options);
        self.upgrades = Arc::new(Upgrades {
            lock,
            versions: OnceLock::new(),
            migrations: migrations.iter().fold(LoadOptions::new(), add),
        });
        self
    }
}
