//! The last states that were made, and what refers to them.

use std::{collections::BTreeMap, mem::take, sync::Arc};

use super::{
    super::{
        super::state::frame::Frame,
        collect::enter,
        stored::{Loaded, References, StoredProgress, sections},
    },
    Loader, OnError,
    starts::{candidates, has_more_than_input, is_equal},
};
use crate::{
    error::ErrorText,
    graph::{LatestIx, NodeIx, Table},
    node::LatestState,
    state::Live,
};

/// What an item of a list starts with.
pub(super) struct ItemStart<'a> {
    pub(super) state: Option<Live>,
    pub(super) latest: &'a [Captured],
}

/// A state that was made before a list.
pub(super) struct Captured {
    inside: LatestIx,
    /// What it is called around the list.
    key: Arc<str>,
    live: Live,
}

impl Captured {
    /// What the items of the list at `node` start with.
    pub(super) fn of(frame: &Frame, node: NodeIx) -> Vec<Self> {
        let table = &frame.table;
        let captures = table.node(node).captures.iter();
        let captured = captures.filter_map(|(around, inside)| {
            Some(Self {
                inside: *inside,
                key: Arc::clone(&table.latest(*around).key),
                live: frame.latest.get(around)?.live.clone(),
            })
        });
        captured.collect()
    }
}

/// The last states of a snapshot, whether the flow still reads them or not.
type LatestByKey = BTreeMap<String, Live>;

impl Loader<'_> {
    /// Keeps what the flow reads, and puts the states that wait and are among that.
    pub(super) fn latest(
        &mut self,
        frame: &mut Frame,
        stored: &mut StoredProgress<'_>,
        captured: &[Captured],
    ) -> Loaded<LatestByKey> {
        let table = Arc::clone(&frame.table);
        let entries = LatestEntries::of(&table);
        let mut latest = LatestByKey::new();
        for (key, state) in take(&mut stored.latest) {
            let live = state.into_live().in_cell();
            let live = self.keep(frame, &entries, (sections::latest, &key), live)?;
            latest.insert(key.into_owned(), live);
        }
        for (key, holder) in take(&mut stored.shared_latest) {
            let live = value(&latest, &key, &holder)?.clone();
            let live = self.keep(frame, &entries, (sections::shared_latest, &key), live)?;
            latest.insert(key.into_owned(), live);
        }
        let section = (
            sections::captured,
            take(&mut stored.captured),
            OnError::Drop,
        );
        self.section(section, |_, key, around| {
            let index = entries.get(&key)?;
            let mut captured = captured.iter();
            let captured = captured.find(|it| it.inside == index && *it.key == *around);
            let Some(Captured { live, .. }) = captured else {
                return Err(format!("no `{around}` was made before the list").into());
            };
            insert(frame, index, &key, live.clone(), true)
        })?;
        let section = (
            sections::latest_states,
            take(&mut stored.latest_states),
            OnError::Refuse,
        );
        self.section(section, |loader, key, holder| {
            let live = value(&latest, &key, &holder)?.clone();
            loader.put_state(&table, frame, &key, live)
        })?;
        Ok(latest)
    }

    /// Takes over the inputs of flows that are among the last states.
    pub(super) fn latest_inputs(
        &mut self,
        frame: &mut Frame,
        stored: References<'_>,
        latest: &LatestByKey,
    ) -> Loaded<()> {
        self.section(
            (sections::latest_inputs, stored, OnError::Drop),
            |loader, key, holder| {
                let scope = loader.flow_of_input(frame, &key)?;
                let live = value(latest, &key, &holder)?.clone();
                let live = loader.as_state(&frame.table, frame.table.scope(scope).entry, live)?;
                frame.flow_inputs.insert(scope, live);
                Ok(())
            },
        )
    }

    /// Drops the last states of flows in which nothing waits, and fails where a node could read a state that does not
    /// exist yet.
    pub(super) fn check_latest(&mut self, frame: &mut Frame) -> Loaded<()> {
        if frame.table.latest.is_empty() {
            return Ok(());
        }
        let table = Arc::clone(&frame.table);
        let indices: Vec<LatestIx> = frame.latest.keys().copied().collect();
        for index in indices {
            let entry = table.latest(index);
            if frame.is_running(entry.scope) {
                continue;
            }
            let why = ErrorText::from("nothing waits in the flow that reads it".to_owned());
            if !self.revalidates {
                return Err(why.followed_by(format_args!(": `{}`", entry.key)));
            }
            frame.latest.remove(&index);
            self.drop_entry(sections::latest, &entry.key, why);
        }
        if table.is_document() {
            // A binding says what becomes of what is not there.
            return Ok(());
        }
        for (index, entry) in table.latest_entries() {
            if frame.latest.contains(&index) || self.take_input(frame, index) {
                continue;
            }
            let waiting = frame.waiting_within(entry.scope);
            if let Some(reader) = table.reader_before_value(index, waiting) {
                let (reader, state) = (table.node_id(reader), &entry.state);
                return Err(format!(
                    "`{reader}` reads `Latest<{state}>`, but the snapshot has no `{state}`, and nothing makes one first"
                )
                .into());
            }
        }
        Ok(())
    }

    /// A version that did not read its input has kept it all the same: it is the latest where nothing else makes one.
    fn take_input(&self, frame: &mut Frame, index: LatestIx) -> bool {
        let table = Arc::clone(&frame.table);
        let scope = table.latest(index).scope;
        if !self.revalidates || !table.is_input_alone(index) || !frame.is_running(scope) {
            return false;
        }
        let Some(input) = frame.flow_inputs.get(&scope) else {
            return false;
        };
        // A node that is gone may have made another one.
        let start = self.known_start(&table.scope(scope).key);
        let is_made_again = start.is_some_and(|start| start.is_made_again);
        let has_another = candidates(frame, scope).any(|waiting| !is_equal(waiting, input));
        if has_another || is_made_again && has_more_than_input(frame, scope, input) {
            return false;
        }
        let state = LatestState {
            live: input.clone(),
            is_captured: false,
        };
        frame.latest.insert(index, state);
        true
    }

    fn keep(
        &mut self,
        frame: &mut Frame,
        entries: &LatestEntries<'_>,
        (section, key): (&str, &str),
        mut live: Live,
    ) -> Loaded<Live> {
        let index = match entries.get(key) {
            Ok(index) => index,
            Err(why) if self.revalidates => {
                self.drop_entry(section, &key, why);
                return Ok(live);
            }
            Err(why) => return Err(why),
        };
        if self.revalidates
            && let Some(state) = frame.table.state_of_latest(index)
        {
            let around = enter(&mut self.at, section, &key);
            live = self.as_state(&frame.table, state, live)?;
            self.at.truncate(around);
        }
        insert(frame, index, key, live.clone(), false)?;
        Ok(live)
    }
}

/// The entries of the last states, by their keys.
struct LatestEntries<'a>(BTreeMap<&'a str, LatestIx>);

impl<'a> LatestEntries<'a> {
    fn of(table: &'a Table) -> Self {
        let entries = table.latest_entries();
        Self(entries.map(|(index, entry)| (&*entry.key, index)).collect())
    }

    fn get(&self, key: &str) -> Loaded<LatestIx> {
        let index = self.0.get(key).copied();
        index.ok_or_else(|| format!("the flow reads no `{key}`").into())
    }
}

fn insert(
    frame: &mut Frame,
    index: LatestIx,
    key: &str,
    live: Live,
    is_captured: bool,
) -> Loaded<()> {
    let state = LatestState { live, is_captured };
    match frame.latest.insert(index, state) {
        None => Ok(()),
        Some(_) => Err(format!("the last `{key}` that was made is there twice").into()),
    }
}

/// The last state of the key `holder`, which is what `key` is.
fn value<'a>(latest: &'a LatestByKey, key: &str, holder: &str) -> Loaded<&'a Live> {
    let live = latest.get(holder);
    live.ok_or_else(|| {
        format!("`{key}` refers to the latest `{holder}`, which the snapshot lacks").into()
    })
}
