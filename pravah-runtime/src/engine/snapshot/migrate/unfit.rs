//! Why migrations that look as if they were for a state do not help.

use std::sync::Arc;

use super::{Migration, MigrationName, Migrations, SlotMigration};
use crate::{
    engine::load_help,
    graph::{Ambiguous, Table, split_key},
    quoted::one,
    state::{Live, StateType},
};

impl Migration {
    fn why_not_read(&self, live: &Live) -> Option<String> {
        let error = live.check(self.from).err()?;
        Some(format!("{} cannot read it either: {error}", self.name))
    }
}

impl Migrations {
    /// Why migrations that look as if they were for a state of this key do not make it a `to`.
    pub(crate) fn why_not_migrated(&self, key: &str, live: &Live, to: StateType) -> Vec<String> {
        let state = load_help::type_name(key);
        let ways = self.ways_to(to);
        let first = ways.iter().filter_map(|way| way.first());
        let mut reasons: Vec<String> = first
            .clone()
            .filter_map(|it| it.why_not_read(live))
            .collect();
        let of_state = self.migrations.iter().map(|[of_state, _]| of_state);
        let elsewhere = of_state.filter(|it| {
            it.name.reads == state && !first.clone().any(|other| other.from.is_same(&it.from))
        });
        reasons.extend(
            elsewhere
                .map(|Migration { name, .. }| format!("{name} makes {} of it", one(&name.makes))),
        );
        reasons.sort();
        reasons.dedup();
        reasons
    }

    /// Why migrations that look as if they were for the state under a key, which has no place, do not move it.
    pub(crate) fn why_not_moved(&self, key: &str, table: &Table) -> Vec<String> {
        let (state, _) = split_key(key);
        let is_of_state = |name: &MigrationName| name.reads == load_help::type_name(key);
        let reading = self.migrations.iter().map(|[of_state, _]| &*of_state.name);
        let reading = reading.filter(|name| is_of_state(name)).map(|name| {
            let help = match (name.function.is_some(), state.contains("::")) {
                (true, true) => format!("`#[migrate(slot = \"{state}\")]`"),
                (true, false) => "`#[migrate(slot)]`".to_owned(),
                (false, _) => "`with_moved_state`".to_owned(),
            };
            format!("{name} reads `{state}`, and does not move it: write {help}")
        });
        let moving = self.moved.iter().filter_map(|it| {
            let SlotMigration { migration, .. } = it;
            let name = &*migration.name;
            if it.key == key {
                let why = why_no_place(table, &it.place())?;
                return Some(format!("{name} moves it to `{}`, {why}", it.place()));
            }
            let is_meant =
                is_of_state(name) && table.place_of(&it.key, None).is_ok_and(|it| it.is_none());
            is_meant.then(|| format!("{name} moves `{}`, and not `{key}`", it.key))
        });
        reading.chain(moving).collect()
    }

    /// Whether a migration makes states of this type.
    pub(crate) fn has_any_to(&self, to: StateType) -> bool {
        !self.ways_to(to).is_empty()
    }

    /// What the migrations are called, but for those that move states.
    pub(crate) fn names(&self) -> impl Iterator<Item = &Arc<MigrationName>> {
        self.migrations.iter().map(|[of_state, _]| &of_state.name)
    }

    /// What those are called by which a state may become one of this type; without a state, all that lead there.
    pub(crate) fn names_on_ways(
        &self,
        live: Option<&Live>,
        to: StateType,
    ) -> impl Iterator<Item = &Arc<MigrationName>> {
        let mut ways = self.ways_to(to);
        ways.retain(|way| live.is_none_or(|live| way.first().is_some_and(|it| it.reads(live))));
        ways.into_iter().flatten().map(|it| &it.name)
    }

    /// The states that are moved, each with the name of the migration.
    pub(crate) fn moved_states(&self) -> impl Iterator<Item = (&str, &MigrationName)> {
        let moved = self.moved.iter();
        moved.map(|it| (it.key.as_str(), &*it.migration.name))
    }
}

/// Why a state with this key could not wait in a flow.
fn why_no_place(table: &Table, key: &str) -> Option<&'static str> {
    match table.place_of(key, None) {
        Ok(Some(_)) => None,
        Ok(None) => Some("which no node takes"),
        Err(Ambiguous { .. }) => Some("which several nodes take"),
    }
}
