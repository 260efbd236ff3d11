//! States of earlier versions, made into those of this one.

mod name;
mod unfit;

pub(crate) use name::MigrationName;

use std::{collections::VecDeque, fmt, iter, sync::Arc};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    error::{BoxError, ErrorText, FlowError, guard},
    graph::split_key,
    state::{Each, Live, SchemaOf, StateType},
};

/// How the states of one type become those of another.
#[derive(Clone)]
pub(crate) struct Migration {
    from: StateType,
    to: StateType,
    name: Arc<MigrationName>,
    migrate: Arc<Migrate>,
}

type Migrate = dyn Fn(&Live) -> Result<Live, BoxError> + Send + Sync;

impl fmt::Debug for Migration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Migration").field(&*self.name).finish()
    }
}

/// A state whose place is gone.
#[derive(Clone, Debug)]
pub(crate) struct SlotMigration {
    /// Its key in snapshots.
    pub(super) key: String,
    schema: SchemaOf,
    migration: Migration,
}

/// How the states of earlier versions are read.
#[derive(Clone, Debug)]
pub(crate) struct Migrations {
    /// Each with that of lists of such states.
    migrations: Vec<[Migration; 2]>,
    moved: Vec<SlotMigration>,
}

impl Migration {
    fn new<Old, New, E>(
        name: Arc<MigrationName>,
        migrate: impl Fn(Old) -> Result<New, E> + Send + Sync + 'static,
    ) -> Self
    where
        Old: Serialize + DeserializeOwned + Send + Sync + 'static,
        New: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
        E: Into<BoxError> + 'static,
    {
        let migrate = move |live: &Live| {
            // Read anew: the state may be in use elsewhere.
            let old = serde_json::from_str(&serde_json::to_string(live)?)?;
            let new: New = migrate(old).map_err(Into::into)?;
            // As it is in a snapshot: what cannot be written is an error now.
            let json = serde_json::to_string(&new)?;
            Ok(Live::raw(serde_json::from_str(&json)?).in_cell())
        };
        Self {
            from: StateType::of::<Old>(),
            to: StateType::of::<New>(),
            name,
            migrate: Arc::new(migrate),
        }
    }

    fn reads(&self, live: &Live) -> bool {
        live.check(self.from).is_ok()
    }

    fn apply(&self, live: &Live) -> Result<Live, ErrorText> {
        let makes = &self.name.makes;
        let failed =
            |source: BoxError| ErrorText::new(format!("the migration to `{makes}` failed"), source);
        match guard(makes, || (self.migrate)(live)) {
            Ok(migrated) => migrated.map_err(failed),
            // The name in it would be taken for that of a node.
            Err(FlowError::Panicked { message, .. }) => {
                Err(failed(format!("it panicked: {message}").into()))
            }
            Err(error) => Err(failed(error.into())),
        }
    }
}

impl SlotMigration {
    /// What waits under `key`, moved by a function that may fail.
    pub(crate) fn new<Old, New, E>(
        name: MigrationName,
        key: String,
        migrate: impl Fn(Old) -> Result<New, E> + Send + Sync + 'static,
    ) -> Self
    where
        Old: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
        New: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
        E: Into<BoxError> + 'static,
    {
        Self {
            key,
            schema: Old::json_schema,
            migration: Migration::new(name.into(), migrate),
        }
    }

    /// The form in which it is read: its schema, and its type.
    pub(crate) fn form(&self) -> (SchemaOf, StateType) {
        (self.schema, self.migration.from)
    }

    pub(crate) fn name(&self) -> &MigrationName {
        &self.migration.name
    }

    /// The key of its new place.
    pub(crate) fn place(&self) -> String {
        let (state, _) = split_key(&self.key);
        let around = state.rsplit_once("::").map(|(around, _)| around);
        let name = &self.migration.name.makes;
        around.map_or_else(|| name.clone(), |around| format!("{around}::{name}"))
    }
}

impl Migrations {
    pub(crate) const fn new() -> Self {
        Self {
            migrations: Vec::new(),
            moved: Vec::new(),
        }
    }

    /// Where the state under `key` is moved, in each of its forms.
    pub(crate) fn moves_of<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a SlotMigration> {
        self.moved.iter().filter(move |it| it.key == key)
    }

    /// Whether they make a state of this type of another.
    pub(crate) fn can_migrate(&self, live: &Live, to: StateType) -> bool {
        self.way(live, to).is_some()
    }

    /// Adds others, which come after these.
    pub(crate) fn extend(&mut self, others: &Self) {
        self.migrations.extend(others.migrations.iter().cloned());
        self.moved.extend(others.moved.iter().cloned());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.migrations.is_empty() && self.moved.is_empty()
    }

    /// Adds what makes states of one type those of another, and with that lists of them.
    pub(crate) fn add<Old, New, E>(
        &mut self,
        name: MigrationName,
        migrate: impl Fn(Old) -> Result<New, E> + Send + Sync + 'static,
    ) where
        Old: Serialize + DeserializeOwned + Send + Sync + 'static,
        New: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
        E: Into<BoxError> + 'static,
    {
        let migrate = Arc::new(migrate);
        let of_each = Arc::clone(&migrate);
        let migrate_list = move |list: Each<Old>| -> Result<Each<New>, E> {
            list.into_iter().map(&*of_each).collect()
        };
        let name = Arc::new(name);
        let of_list = Migration::new(Arc::clone(&name), migrate_list);
        let of_state = Migration::new(name, move |old| migrate(old));
        self.migrations.push([of_state, of_list]);
    }

    pub(crate) fn add_moved(&mut self, moved: SlotMigration) {
        self.moved.push(moved);
    }

    /// What becomes of a state that cannot be read as this type; `None` where no migration leads from it to that.
    pub(super) fn migrate(&self, live: &Live, to: StateType) -> Option<Result<Live, ErrorText>> {
        let way = self.way(live, to)?;
        let mut migrated = Ok(live.clone());
        for migration in way {
            migrated = migrated.and_then(|live| migration.apply(&live));
        }
        Some(migrated)
    }

    /// The shortest way from a state to a type: versions in between may have had a form of their own.
    fn way(&self, live: &Live, to: StateType) -> Option<Vec<&Migration>> {
        let reads = |way: &Vec<&Migration>| way.first().is_some_and(|it| it.reads(live));
        self.ways_to(to).into_iter().find(reads)
    }

    /// The shortest way to a type from each one that one leads from, the shorter ones first.
    fn ways_to(&self, to: StateType) -> Vec<Vec<&Migration>> {
        let (mut ways, mut next) = (
            Vec::<Vec<&Migration>>::new(),
            VecDeque::from([(to, Vec::new())]),
        );
        while let Some((wanted, after)) = next.pop_front() {
            for migration in self
                .migrations
                .iter()
                .flatten()
                .filter(|it| it.to.is_same(&wanted))
            {
                let from = migration.from;
                let is_known =
                    |way: &Vec<&Migration>| way.first().is_some_and(|it| it.from.is_same(&from));
                if from.is_same(&to) || ways.iter().any(is_known) {
                    continue;
                }
                let way: Vec<&Migration> = iter::once(migration).chain(after.clone()).collect();
                ways.push(way.clone());
                next.push_back((from, way));
            }
        }
        ways
    }

    /// The migration that moves the state under a key for which there is no place.
    pub(super) fn moving(&self, key: &str, live: &Live) -> Option<&SlotMigration> {
        self.moving_to(key, live, |_| true)
    }

    /// As `moving`, among those that `accepts` accepts.
    pub(super) fn moving_to(
        &self,
        key: &str,
        live: &Live,
        accepts: impl Fn(&SlotMigration) -> bool,
    ) -> Option<&SlotMigration> {
        let reads = |it: &&SlotMigration| it.migration.reads(live);
        let migrates = |it: &&SlotMigration| self.can_migrate(live, it.migration.from);
        let moves = || self.moved.iter().filter(|it| it.key == key && accepts(it));
        // The last is for its error.
        let moving = moves().find(reads).or_else(|| moves().find(migrates));
        moving.or_else(|| moves().next())
    }

    /// What such a migration makes of the state.
    pub(super) fn move_state(
        &self,
        moving: &SlotMigration,
        live: &Live,
    ) -> Result<Live, ErrorText> {
        let SlotMigration { key, migration, .. } = moving;
        let old = live.check(migration.from).map(|()| live.clone());
        let old = old.or_else(|error| {
            let unreadable = || {
                let text = format!("`{key}` cannot be read by {}", migration.name);
                Err(ErrorText::new(text, error))
            };
            self.migrate(live, migration.from)
                .unwrap_or_else(unreadable)
        });
        old.and_then(|old| migration.apply(&old))
    }
}
