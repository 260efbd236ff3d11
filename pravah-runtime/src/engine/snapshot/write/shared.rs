//! States that are in several places: one has the value, and the others name it. It is the one that is the last to
//! go, as a rule, and until then the value is not written anew: the latest state where nodes read it, else the
//! last of those that wait.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
};

use super::{
    super::{
        super::state::frame::Frame,
        stored::{StoredFrame, StoredState, sections},
    },
    writer::Writer,
};
use crate::{
    graph::{LatestIx, NodeIx, Table},
    state::Live,
};

/// The list that a frame is an item of: the net around it, and its node there.
pub(super) type ListOfItem<'a> = Option<(&'a Table, NodeIx)>;

/// How a state is written.
#[derive(Clone, Copy)]
struct Written<'a> {
    section: &'static str,
    value: Value<'a>,
}

#[derive(Clone, Copy)]
enum Value<'a> {
    Own(&'a Live),
    /// It is that of this key.
    Same(&'a str),
}

type WrittenStates<'a> = BTreeMap<&'a str, Written<'a>>;

impl Writer {
    /// The states of a frame that wait, and the last that were made.
    pub(super) fn shared_sections<'a>(
        &mut self,
        stored: &mut StoredFrame<'a>,
        (frame, before): (&'a Frame, Option<&'a Frame>),
        list: ListOfItem<'a>,
    ) {
        self.put_changed(stored, (waiting(frame), before.map(waiting)));
        let latest = |frame| latest(frame, list);
        self.put_changed(stored, (latest(frame), before.map(latest)));
    }

    /// Puts what is written other than before, and deletes what is not in its section any more.
    fn put_changed<'a>(
        &mut self,
        stored: &mut StoredFrame<'a>,
        (now, before): (WrittenStates<'a>, Option<WrittenStates<'a>>),
    ) {
        for (key, written) in &now {
            let old = before.as_ref().and_then(|before| before.get(key));
            if old.is_none_or(|old| !old.is_same(*written)) {
                put(stored, key, *written);
            }
        }
        for (key, old) in before.iter().flatten() {
            if now.get(key).is_none_or(|now| now.section != old.section) {
                self.delete(old.section, key);
            }
        }
    }
}

fn put<'a>(stored: &mut StoredFrame<'a>, key: &'a str, Written { section, value }: Written<'a>) {
    let key = Cow::Borrowed(key);
    let progress = &mut stored.progress;
    match value {
        Value::Own(live) => {
            let states = match section {
                sections::latest => &mut progress.get_or_insert_default().latest,
                _ => &mut stored.states,
            };
            states.push(key, StoredState::Live(live));
        }
        Value::Same(same) => {
            let progress = progress.get_or_insert_default();
            let references = match section {
                sections::shared_latest => &mut progress.shared_latest,
                sections::captured => &mut progress.captured,
                sections::latest_states => &mut progress.latest_states,
                _ => &mut progress.shared_states,
            };
            references.push(key, Cow::Borrowed(same));
        }
    }
}

impl Written<'_> {
    fn is_same(self, other: Self) -> bool {
        let is_same = match (self.value, other.value) {
            (Value::Own(one), Value::Own(other)) => one.is_same(other),
            (Value::Same(one), Value::Same(other)) => one == other,
            _ => false,
        };
        is_same && self.section == other.section
    }
}

/// The states that wait, by their keys.
fn waiting(frame: &Frame) -> WrittenStates<'_> {
    let table: &Table = &frame.table;
    let mut holders: BTreeMap<usize, &str> = BTreeMap::new();
    let tokens: Vec<_> = frame.waiting().collect();
    let keys = KeysOfLatest::of(frame);
    let states = tokens.into_iter().rev().map(|(place, token)| {
        let key = table.place_key(place);
        if let Some(latest) = keys.get(&token.live) {
            return (key, Written::same(sections::latest_states, latest));
        }
        let id = token.live.shared_id();
        let holder = id.map(|id| *holders.entry(id).or_insert(key));
        match holder.filter(|holder| *holder != key) {
            Some(holder) => (key, Written::same(sections::shared_states, holder)),
            None => (key, Written::own(sections::states, &token.live)),
        }
    });
    states.collect()
}

/// The last states that were made, by their keys.
fn latest<'a>(frame: &'a Frame, list: ListOfItem<'a>) -> WrittenStates<'a> {
    let table: &Table = &frame.table;
    let keys = KeysOfLatest::of(frame);
    let states = frame.latest.iter().map(|(index, state)| {
        let key = &*table.latest(*index).key;
        if let Some(around) = list.filter(|_| state.is_captured) {
            return (
                key,
                Written::same(sections::captured, captured_from(around, *index)),
            );
        }
        match keys.get(&state.live).filter(|first| *first != key) {
            Some(first) => (key, Written::same(sections::shared_latest, first)),
            None => (key, Written::own(sections::latest, &state.live)),
        }
    });
    states.collect()
}

/// The key of the first of the last states that were made which is this one.
pub(super) fn key_of_latest<'a>(frame: &'a Frame, live: &Live) -> Option<&'a str> {
    if frame.latest.is_unchanged() {
        return None;
    }
    let mut latest = frame.latest.iter();
    let (index, _) = latest.find(|(_, state)| !state.is_captured && state.live.is_same(live))?;
    Some(&frame.table.latest(*index).key)
}

/// Finds the first of the last states that were made which is a given one.
struct KeysOfLatest<'a> {
    frame: &'a Frame,
    /// By what all clones of a state share; nothing where it is faster to look at each of them.
    by_id: Option<HashMap<usize, &'a str>>,
}

/// Fewer are looked at one after another.
const MANY: usize = 16;

impl<'a> KeysOfLatest<'a> {
    fn of(frame: &'a Frame) -> Self {
        let by_id = (frame.latest.len() >= MANY).then(|| {
            let mut by_id = HashMap::with_capacity(frame.latest.len());
            let latest = frame.latest.iter().filter(|(_, state)| !state.is_captured);
            for (index, state) in latest {
                let key = &*frame.table.latest(*index).key;
                if let Some(id) = state.live.shared_id() {
                    by_id.entry(id).or_insert(key);
                }
            }
            by_id
        });
        Self { frame, by_id }
    }

    fn get(&self, live: &Live) -> Option<&'a str> {
        match &self.by_id {
            Some(by_id) => by_id.get(&live.shared_id()?).copied(),
            None => key_of_latest(self.frame, live),
        }
    }
}

/// What is called so around a list that its items call by `inside`.
fn captured_from((table, list): (&Table, NodeIx), inside: LatestIx) -> &str {
    let mut captures = table.node(list).captures.iter();
    let captured = captures.find(|(_, inner)| *inner == inside);
    captured.map_or("", |(around, _)| &table.latest(*around).key)
}

impl<'a> Written<'a> {
    fn own(section: &'static str, live: &'a Live) -> Self {
        let value = Value::Own(live);
        Self { section, value }
    }

    fn same(section: &'static str, key: &'a str) -> Self {
        let value = Value::Same(key);
        Self { section, value }
    }
}
