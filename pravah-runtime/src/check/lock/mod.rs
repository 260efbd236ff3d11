//! Whether the runs of released versions can go on in a flow: found out while it compiles.
//!
//! The theorem behind it is at `pravah_graph::WayOut`, under "Two nets".

mod frame;
mod hash;
mod locked;
mod report;
mod weights;

use self::{
    hash::Hash,
    report::{report_start, report_unclear},
    weights::{END, Key, Weights},
};
pub use self::{
    locked::{FlowLock, LockedMove, LockedNet, LockedPlace, LockedVersion, MovedState},
    weights::lock_size,
};
use super::message::message;
use crate::{state::name::same, topology::Topology};

/// That all runs of the versions can go on in this one, wherever they are.
#[track_caller]
pub const fn check_lock<const SIZE: usize>(
    net: &'static Topology,
    lock: &FlowLock,
    moved: &[MovedState],
) {
    let mut versions = lock.versions;
    if versions.is_empty() {
        return;
    }
    let Some(weights) = Weights::of(net, Hash::NONE) else {
        return;
    };
    check_id(net, lock);
    let checked = Checked::<SIZE> { weights, moved };
    while let [version, rest @ ..] = versions {
        checked.check(version, version.net);
        versions = rest;
    }
}

/// That the lock file is of this flow: runs of another one are never loaded as runs of this.
#[track_caller]
const fn check_id(net: &Topology, lock: &FlowLock) {
    let id = match (lock.is_named, net.ends.input) {
        (false, Some(input)) => input.name,
        _ => net.name,
    };
    if same(id, lock.flow) {
        return;
    }
    let message = message(&[
        "this lock file is of the flow `",
        lock.flow,
        "`, and this flow is `",
        id,
    ])
    .and(&["`: runs of the one are never loaded as runs of the other"]);
    match lock.is_named {
        true if is_input(net, lock.flow) => message.help(&[
            "remove `named`, which makes the function's name the id of the flow, or name another file",
        ]),
        true => message.help(&["keep the name `", lock.flow, "`, or name another file"]),
        false if same(net.name, lock.flow) => {
            message.help(&["write `#[flow(named)]` as before, or name another file"])
        }
        false => message
            .help(&[
                "keep the name of the input with `#[serde(rename = \"",
                lock.flow,
            ])
            .and(&["\")]`, or name another file"]),
    }
    .fail()
}

/// Whether the input of a flow has this name.
const fn is_input(net: &Topology, name: &str) -> bool {
    matches!(net.ends.input, Some(input) if same(input.name, name))
}

/// A flow, or the chain of a list, and the states that migrations move.
struct Checked<'a, const SIZE: usize> {
    weights: Weights<SIZE>,
    moved: &'a [MovedState],
}

/// Where a state of an earlier version waits in this one.
enum Image {
    At(Key),
    Gone,
    /// Several nodes take it, and which one is meant is not known.
    Unclear,
}

impl<const SIZE: usize> Checked<'_, SIZE> {
    #[track_caller]
    const fn check(&self, version: &LockedVersion, net: &'static LockedNet) {
        let mut places = net.places;
        while let [place, rest @ ..] = places {
            match self.image(place) {
                Image::At(_) => {}
                Image::Gone => self.report_gone(version, net, place),
                Image::Unclear => report_unclear(version, place),
            }
            places = rest;
        }
        if !matches!(self.sum(net, net.start), None | Some(END)) {
            report_start(version)
        }
        let mut moves = net.moves;
        while let [step, rest @ ..] = moves {
            let after = match step.leaves {
                [] => Some(END),
                leaves => self.sum(net, leaves),
            };
            match (self.sum(net, step.takes), after) {
                (Some(before), Some(after)) if before == after => {}
                // What has no place was reported.
                (None, _) | (_, None) => {}
                _ => self.report_stranded(version, net, step),
            }
            moves = rest;
        }
        let mut chains = net.chains;
        while let [(place, chain), rest @ ..] = chains {
            if let Image::At(Key {
                chain: Some((here, ids)),
                ..
            }) = self.image(&net.places[*place])
                && let Some(weights) = Weights::of(here, ids)
            {
                let moved = self.moved;
                Self { weights, moved }.check(version, chain);
            }
            chains = rest;
        }
    }

    /// What states weigh that wait in these places.
    const fn sum(&self, net: &LockedNet, mut places: &[usize]) -> Option<u128> {
        let mut sum = 0_u128;
        while let [place, rest @ ..] = places {
            let Image::At(key) = self.image(&net.places[*place]) else {
                return None;
            };
            match self.weights.weight(key.place) {
                Some(weight) => sum = sum.wrapping_add(weight),
                None => return None,
            }
            places = rest;
        }
        Some(sum)
    }

    /// As a snapshot is loaded: the only place of the state, or that of the node that took it.
    const fn image(&self, place: &LockedPlace) -> Image {
        let [state, own] = split(place.key, b'@');
        match self.find(Hash::NONE.and_bytes(state), place.taker) {
            Image::Gone => {}
            found => return found,
        }
        let mut moved = self.moved;
        while let [state, rest @ ..] = moved {
            if state.is_moved && own.is_empty() && same(state.key, place.key) {
                return self.new_image(state);
            }
            moved = rest;
        }
        Image::Gone
    }

    /// Where a state is moved.
    const fn new_image(&self, moved: &MovedState) -> Image {
        let state = Hash::NONE.and_bytes(around(moved.key.as_bytes()));
        self.find(state.and(moved.to), "")
    }

    const fn find(&self, state: Hash, taker: &str) -> Image {
        let full = Hash::NONE.and(taker);
        let node = Hash::NONE.and_bytes(split(taker, b'.')[0]);
        let (mut only, mut same, mut of_node) = (Found::Nothing, Found::Nothing, Found::Nothing);
        let mut next = self.weights.last_key(state);
        while let Some(key) = next {
            if key.state.is(state) {
                only = only.and(key);
                let called = if key.is_repeated { key.param } else { key.node };
                if called.is(full) {
                    same = same.and(key);
                }
                if called.is(node) {
                    of_node = of_node.and(key);
                }
            }
            next = self.weights.key_before(key);
        }
        match (only, same, of_node) {
            (Found::One(key), ..) | (_, Found::One(key), _) | (_, _, Found::One(key)) => {
                Image::At(key)
            }
            (Found::Nothing, ..) => Image::Gone,
            _ => Image::Unclear,
        }
    }
}

/// What a search has found.
#[derive(Clone, Copy)]
enum Found {
    Nothing,
    One(Key),
    Several,
}

impl Found {
    const fn and(self, key: &Key) -> Self {
        match self {
            Self::Nothing => Self::One(*key),
            Self::One(_) | Self::Several => Self::Several,
        }
    }
}

/// What is before a sign, and after it.
const fn split(text: &str, sign: u8) -> [&[u8]; 2] {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == sign {
            let (before, rest) = bytes.split_at(at);
            return [before, rest.split_at(1).1];
        }
        at += 1;
    }
    [bytes, &[]]
}

/// The nested flows of a key, `review::` of `review::Draft`.
const fn around(key: &[u8]) -> &[u8] {
    let mut at = key.len();
    while at > 1 && !(key[at - 1] == b':' && key[at - 2] == b':') {
        at -= 1;
    }
    match at {
        0 | 1 => &[],
        _ => key.split_at(at).0,
    }
}

const fn text(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}

/// What each of the states weighs that wait in a flow, by their keys; and what the end does.
#[cfg(test)]
pub(crate) fn weights<const SIZE: usize>(
    net: &'static Topology,
    keys: &[&'static str],
) -> (Vec<u128>, u128) {
    let checked = Checked::<SIZE> {
        weights: Weights::of(net, Hash::NONE).unwrap(),
        moved: &[],
    };
    let weight = |key: &&'static str| {
        let taker = key.split_once('@').map_or("", |(_, taker)| taker);
        let Image::At(key) = checked.find(Hash::NONE.and_bytes(split(key, b'@')[0]), taker) else {
            panic!("`{key}` has no place")
        };
        checked.weights.weight(key.place).unwrap()
    };
    (keys.iter().map(weight).collect(), END)
}
