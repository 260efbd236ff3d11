//! States that wait in several places: the last of them has the value, and the others name it. It is the last to
//! be taken, as a rule, and until then the value is not written anew.

use std::{borrow::Cow, collections::BTreeMap};

use super::{
    super::{
        super::state::frame::Frame,
        map::Map,
        stored::{Key, SHARED_STATES, STATES, StoredState},
    },
    Writer,
};
use crate::{
    graph::{Place, Table},
    state::Live,
};

/// How a state that waits is written.
#[derive(Clone, Copy)]
enum Written<'a> {
    Own(&'a Live),
    /// It is the one that waits under this key.
    Shared(&'a str),
}

impl Writer {
    /// The states of a frame that have their value, and the others, each with the one that has it.
    pub(super) fn own_and_shared_states<'a>(
        &mut self,
        frame: &'a Frame,
        before: Option<&'a Frame>,
    ) -> (Map<Key<'a>, StoredState<'a>>, Map<Key<'a>, Key<'a>>) {
        let (now, before) = (written(frame), before.map(written));
        let (mut own, mut shared) = (Map::default(), Map::default());
        for (key, state) in &now {
            let old = before.as_ref().and_then(|before| before.get(key));
            if old.is_some_and(|old| old.is_same(*state)) {
                continue;
            }
            match state {
                Written::Own(live) => own.push(Cow::Borrowed(*key), StoredState::Live(live)),
                Written::Shared(holder) => shared.push(Cow::Borrowed(*key), Cow::Borrowed(*holder)),
            }
        }
        for section in [STATES, SHARED_STATES] {
            self.delete_others(section, before.as_ref(), &now);
        }
        (own, shared)
    }

    /// Deletes what was in a section and is not in it any more.
    fn delete_others(
        &mut self,
        section: &str,
        before: Option<&BTreeMap<&str, Written<'_>>>,
        now: &BTreeMap<&str, Written<'_>>,
    ) {
        for (key, old) in before.into_iter().flatten() {
            let is_there = now.get(key).is_some_and(|now| now.section() == section);
            if old.section() == section && !is_there {
                self.delete(section, key);
            }
        }
    }
}

impl Written<'_> {
    fn section(self) -> &'static str {
        match self {
            Self::Own(_) => STATES,
            Self::Shared(_) => SHARED_STATES,
        }
    }

    fn is_same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Own(one), Self::Own(other)) => one.is_same(other),
            (Self::Shared(one), Self::Shared(other)) => one == other,
            _ => false,
        }
    }
}

/// The states that wait, by their keys.
fn written(frame: &Frame) -> BTreeMap<&str, Written<'_>> {
    let table: &Table = &frame.table;
    let mut holders: BTreeMap<usize, &str> = BTreeMap::new();
    let tokens: Vec<_> = frame.tokens.iter().collect();
    let states = tokens.into_iter().rev().map(|(slot, token)| {
        let (slot, branch) = (*slot, token.branch);
        let key = table.place_key(Place { slot, branch });
        let holder = token
            .live
            .shared_id()
            .map(|id| *holders.entry(id).or_insert(key));
        match holder.filter(|holder| *holder != key) {
            Some(holder) => (key, Written::Shared(holder)),
            None => (key, Written::Own(&token.live)),
        }
    });
    states.collect()
}
