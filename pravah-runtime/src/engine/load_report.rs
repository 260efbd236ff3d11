//! What a caller allows when a run is restored, and what is then said of it.

use std::{collections::BTreeSet, convert::Infallible, sync::Arc};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use super::snapshot::migrate::{MigrationName, Migrations, SlotMigration};
use crate::{
    error::BoxError,
    graph::{FlowVersion, Upgrades},
    state::{Live, StateType},
};

/// How a snapshot may be loaded; see
/// [`FlowRuntime::from_snapshot_with`](crate::FlowRuntime::from_snapshot_with).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadOptions {
    pub(super) drop_progress: bool,
    pub(super) versions: Vec<FlowVersion>,
    pub(super) migrations: Migrations,
    /// What the flow itself says.
    upgrades: Option<Arc<Upgrades>>,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl LoadOptions {
    /// The same, with what a flow says of its earlier versions.
    pub(crate) fn with_upgrades(mut self, upgrades: &Arc<Upgrades>, more: &Self) -> Self {
        self.upgrades = Some(Arc::clone(upgrades));
        self.migrations.extend(&more.migrations);
        self
    }

    pub(crate) fn drops_progress(&self) -> bool {
        self.drop_progress
    }

    pub(crate) fn has_no_migrations(&self) -> bool {
        self.migrations.is_empty()
    }

    /// The version with this fingerprint, if it is known.
    pub(super) fn version(&self, fingerprint: &str) -> Option<&FlowVersion> {
        let locked = self.upgrades.iter().flat_map(|it| it.versions());
        let mut versions = self.versions.iter().chain(locked);
        versions.find(|version| version.fingerprint == fingerprint)
    }

    /// Where the state under `key` is moved, in each of its forms.
    pub(crate) fn moves_of<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a SlotMigration> {
        self.migrations.moves_of(key)
    }

    /// Whether migrations make a state of this type of another.
    pub(crate) fn can_migrate(&self, live: &Live, to: StateType) -> bool {
        self.migrations.can_migrate(live, to)
    }

    pub(crate) fn migrations(&self) -> &Migrations {
        &self.migrations
    }

    /// Like [`with_try_migration`](Self::with_try_migration), for a migration of this name.
    pub(crate) fn with_named_migration<Old, New, E>(
        mut self,
        name: MigrationName,
        migrate: impl Fn(Old) -> Result<New, E> + Send + Sync + 'static,
    ) -> Self
    where
        Old: Serialize + DeserializeOwned + Send + Sync + 'static,
        New: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
        E: Into<BoxError> + 'static,
    {
        self.migrations.add(name, migrate);
        self
    }

    /// Like [`with_try_moved_state`](Self::with_try_moved_state), for a migration of this name.
    pub(crate) fn with_named_move<Old, New, E>(
        mut self,
        name: MigrationName,
        key: impl Into<String>,
        migrate: impl Fn(Old) -> Result<New, E> + Send + Sync + 'static,
    ) -> Self
    where
        Old: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
        New: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
        E: Into<BoxError> + 'static,
    {
        self.migrations
            .add_moved(SlotMigration::new(name, key.into(), migrate));
        self
    }

    /// As [`FlowRuntime::from_snapshot`](crate::FlowRuntime::from_snapshot) loads.
    pub const fn new() -> Self {
        Self {
            drop_progress: false,
            versions: Vec::new(),
            migrations: Migrations::new(),
            upgrades: None,
        }
    }

    /// The same for all loads without options, which neither make nor drop any.
    pub(crate) fn default_ref() -> &'static Self {
        static DEFAULT: LoadOptions = LoadOptions::new();
        &DEFAULT
    }

    /// Drops what nodes have done towards the ends of their steps, where the flow has no use for it any more,
    /// instead of refusing the snapshot: the conversation of a node that is no longer an agent, the question
    /// of a gate whose answer is of another type, an item of a list that cannot go on. The node starts over:
    /// calls to models and tools are made again, and people are asked again. [`LoadReport::dropped`] says what
    /// was lost.
    #[must_use]
    pub fn drop_progress(mut self) -> Self {
        self.drop_progress = true;
        self
    }

    /// Makes an earlier version of the flow known. If the snapshot is of that one, its [`LoadReport`] says
    /// which nodes were added and which were removed. There may be several.
    #[must_use]
    pub fn with_version(mut self, version: FlowVersion) -> Self {
        self.versions.push(version);
        self
    }

    /// Reads states of an earlier form: a state that cannot be read as a `New` is read as an `Old`, and `migrate` makes a
    /// `New` of it. That goes for states that wait, items of lists, inputs and outputs of flows, states that are kept for a
    /// `Latest<_>`, and the items of an `Each<New>`. Migrations follow each other: one from version 1 to 2 and one from 2 to
    /// 3 read states of version 1.
    ///
    /// With a migration every state is read at the load. [`LoadReport::migrated`] says which were migrated.
    ///
    /// ```
    /// use pravah_runtime::prelude::*;
    ///
    /// mod v1 {
    ///     use pravah_runtime::prelude::*;
    ///
    ///     #[state] pub struct Order { pub cups: u32 }
    ///     #[state] pub struct Brewed { pub cups: u32 }
    ///     #[state] pub struct Served { pub cups: u32 }
    ///     #[node] fn brew(order: Order) -> Brewed { Brewed { cups: order.cups } }
    ///     #[node] fn serve(brewed: Brewed) -> Served { Served { cups: brewed.cups } }
    ///     #[flow] pub fn coffee(order: Order) -> Served { flow! { brew -> serve } }
    /// }
    ///
    /// mod v2 {
    ///     use pravah_runtime::prelude::*;
    ///
    ///     #[state] pub struct Order { pub cups: u32 }
    ///     #[state] pub struct Brewed { pub millilitres: u32 }
    ///     #[state] pub struct Served { pub cups: u32 }
    ///     #[node] fn brew(order: Order) -> Brewed { Brewed { millilitres: order.cups * 125 } }
    ///     #[node] fn serve(brewed: Brewed) -> Served { Served { cups: brewed.millilitres / 125 } }
    ///     #[flow] pub fn coffee(order: Order) -> Served { flow! { brew -> serve } }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut run = FlowRuntime::new(v1::Order { cups: 2 })?;
    /// run.next(Context::default()).await?;
    /// let stored = serde_json::to_string(&run)?;
    ///
    /// // After the deploy.
    /// let options = LoadOptions::new()
    ///     .with_migration(|old: v1::Brewed| v2::Brewed { millilitres: old.cups * 125 });
    /// let snapshot: FlowSnapshot = serde_json::from_str(&stored)?;
    /// let mut run = FlowRuntime::<v2::Order>::from_snapshot_with(snapshot, &options)?;
    /// let RunOut::Done(served) = run.run(Context::default()).await? else { panic!("nobody is asked") };
    /// assert_eq!(served.cups, 2);
    /// # Ok(()) }
    /// ```
    ///
    /// A panic in `migrate` is an error of the load; [`with_try_migration`](Self::with_try_migration) returns one. The snapshot
    /// is as it was then.
    #[must_use]
    pub fn with_migration<Old, New>(
        self,
        migrate: impl Fn(Old) -> New + Send + Sync + 'static,
    ) -> Self
    where
        Old: Serialize + DeserializeOwned + Send + Sync + 'static,
        New: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        self.with_try_migration(move |old| Ok::<_, Infallible>(migrate(old)))
    }

    /// Like [`with_migration`](Self::with_migration), for a migration that may fail. Its error is that of the load.
    #[must_use]
    pub fn with_try_migration<Old, New, E>(
        self,
        migrate: impl Fn(Old) -> Result<New, E> + Send + Sync + 'static,
    ) -> Self
    where
        Old: Serialize + DeserializeOwned + Send + Sync + 'static,
        New: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
        E: Into<BoxError> + 'static,
    {
        self.with_named_migration(MigrationName::of_types::<Old, New>(), migrate)
    }

    /// Moves a state whose place is gone: what waits under `key` in the snapshot is read as an `Old`, and waits as the
    /// `New` that `migrate` makes of it. The key is the state's name, `Paged`, or in a nested flow with that before it,
    /// `review::Paged`; the new state is one of the same flow. The run has to be able to finish from there. A state that had
    /// several forms has a function for each, all to the same new state: the one that reads what is stored moves it.
    ///
    /// ```
    /// use pravah_runtime::prelude::*;
    ///
    /// mod v1 {
    ///     use pravah_runtime::prelude::*;
    ///
    ///     #[state] pub struct Order { pub cups: u32 }
    ///     #[state] pub struct Ground { pub grams: u32 }
    ///     #[state] pub struct Served { pub cups: u32 }
    ///     #[node] fn grind(order: Order) -> Ground { Ground { grams: order.cups * 7 } }
    ///     #[node] fn serve(ground: Ground) -> Served { Served { cups: ground.grams / 7 } }
    ///     #[flow] pub fn coffee(order: Order) -> Served { flow! { grind -> serve } }
    /// }
    ///
    /// /// Coffee comes from capsules now.
    /// mod v2 {
    ///     use pravah_runtime::prelude::*;
    ///
    ///     #[state] pub struct Order { pub cups: u32 }
    ///     #[state] pub struct Capsules { pub count: u32 }
    ///     #[state] pub struct Served { pub cups: u32 }
    ///     #[node] fn choose(order: Order) -> Capsules { Capsules { count: order.cups } }
    ///     #[node] fn serve(capsules: Capsules) -> Served { Served { cups: capsules.count } }
    ///     #[flow] pub fn coffee(order: Order) -> Served { flow! { choose -> serve } }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut run = FlowRuntime::new(v1::Order { cups: 2 })?;
    /// run.next(Context::default()).await?;
    /// let stored = serde_json::to_string(&run)?;
    ///
    /// let options = LoadOptions::new()
    ///     .with_moved_state("Ground", |old: v1::Ground| v2::Capsules { count: old.grams / 7 });
    /// let snapshot: FlowSnapshot = serde_json::from_str(&stored)?;
    /// let mut run = FlowRuntime::<v2::Order>::from_snapshot_with(snapshot, &options)?;
    /// let RunOut::Done(served) = run.run(Context::default()).await? else { panic!("nobody is asked") };
    /// assert_eq!(served.cups, 2);
    /// # Ok(()) }
    /// ```
    ///
    /// What a node has done towards the end of its step does not move: where it had started, the load is refused, or with
    /// [`drop_progress`](Self::drop_progress) that is dropped.
    #[must_use]
    pub fn with_moved_state<Old, New>(
        self,
        key: impl Into<String>,
        migrate: impl Fn(Old) -> New + Send + Sync + 'static,
    ) -> Self
    where
        Old: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
        New: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        self.with_try_moved_state(key, move |old| Ok::<_, Infallible>(migrate(old)))
    }

    /// Like [`with_moved_state`](Self::with_moved_state), for a migration that may fail. Its error is that of the load.
    #[must_use]
    pub fn with_try_moved_state<Old, New, E>(
        self,
        key: impl Into<String>,
        migrate: impl Fn(Old) -> Result<New, E> + Send + Sync + 'static,
    ) -> Self
    where
        Old: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
        New: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
        E: Into<BoxError> + 'static,
    {
        self.with_named_move(MigrationName::of_types::<Old, New>(), key, migrate)
    }
}

/// What became of a run whose snapshot was of another version of its flow; see
/// [`FlowRuntime::load_report`](crate::FlowRuntime::load_report).
///
/// Nodes appear as in [`FlowVersion::nodes`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadReport {
    /// The fingerprint of the version that the snapshot is of.
    pub fingerprint: String,
    /// Whether that version is known, from the flow's lock file or from [`LoadOptions::with_version`]. Otherwise `added`, `skipped` and
    /// `removed` are empty.
    pub is_version_known: bool,
    /// The nodes that the version of the snapshot did not have.
    pub added: BTreeSet<String>,
    /// Those of them that the run, or an item of a list in it, can no longer reach.
    pub skipped: BTreeSet<String>,
    /// The nodes that the flow does not have any more.
    pub removed: BTreeSet<String>,
    /// What of the snapshot the run did not take over.
    pub dropped: Vec<Dropped>,
    /// The states that a [migration](LoadOptions::with_migration) has made, by the keys that they had among the snapshot's
    /// [entries](crate::FlowSnapshot::entries).
    pub migrated: Vec<String>,
}

/// What of a snapshot a run did not take over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// The key that it has among the snapshot's [entries](crate::FlowSnapshot::entries).
    pub entry: String,
    /// Why there is no use for it.
    pub why: String,
}
