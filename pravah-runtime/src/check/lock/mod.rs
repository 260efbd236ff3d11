//! Whether the runs of released versions can go on in a flow: found out while it compiles.
//!
//! The theorem behind it is at `pravah_graph::WayOut`, under "Two nets".

mod frame;
mod hash;
mod locked;
mod weights;

use self::{
    hash::Hash,
    weights::{END, Key, Weights},
};
pub use self::{
    locked::{FlowLock, LockedMove, LockedNet, LockedPlace, LockedVersion, MovedState},
    weights::lock_size,
};
use super::message::{Message, message};
use crate::{state::name::same, topology::Topology};

/// How many nodes a message names on the way to a place.
const SHOWN_NODES: usize = 6;

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
        true => message.help(&["keep the name `", lock.flow, "`, or name another file"]),
        false => message
            .help(&[
                "keep the name of the input with `#[serde(rename = \"",
                lock.flow,
            ])
            .and(&["\")]`, or name another file"]),
    }
    .fail()
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
                Image::Gone => report_gone(version, net, place),
                Image::Unclear => report_unclear(version, place),
            }
            places = rest;
        }
        if !matches!(self.sum(net, net.start), None | Some(END)) {
            start_of(version)
                .and(&["some of the states that they start with would wait for ever, or be left behind"])
                .help(&[HELP])
                .fail()
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
                _ => report_stranded(version, net, step),
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
        while let [MovedState { key, to }, rest @ ..] = moved {
            if own.is_empty() && same(key, place.key) {
                let state = Hash::NONE.and_bytes(around(key.as_bytes())).and(to);
                return self.find(state, "");
            }
            moved = rest;
        }
        Image::Gone
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

const HELP: &str = "keep the earlier nodes beside the new ones until those runs have ended, then remove the version from the lock file";

#[track_caller]
const fn report_gone(version: &LockedVersion, net: &LockedNet, place: &LockedPlace) -> ! {
    let run = start_of(version);
    match place.left_by {
        Some(step) => with_nodes(run.and(&["after "]), net, step),
        None => run.and(&["at the start"]),
    }
    .and(&[
        ", a `",
        place.key,
        "` waits, and no node of this version takes it",
    ])
    .help(&["keep a node that takes `", place.key, "`"])
    .and(match split(place.key, b'@')[1] {
        [] => &["; a state that has another name now keeps this one with `#[serde(rename = \"…\")]`; a `#[migrate(slot)]` function that `migrate(…)` names moves it to another state"],
        _ => &[],
    })
    .fail()
}

#[track_caller]
const fn report_unclear(version: &LockedVersion, place: &LockedPlace) -> ! {
    let [state, _] = split(place.key, b'@');
    let message = start_of(version)
        .and(&["a `", text(state), "` that waited for `", place.taker])
        .and(&["` may be for several nodes of this version, and none of them is called so"]);
    match is_word(place.taker) {
        true => message.help(&["call one of them so: `other as ", place.taker, "`"]),
        false => message.help(&["keep the names of the node that took it, and of its parameters"]),
    }
    .fail()
}

#[track_caller]
const fn report_stranded(version: &LockedVersion, net: &LockedNet, step: &LockedMove) -> ! {
    let mut message = start_of(version).and(&["after "]);
    if let Some(before) = step.before {
        message = with_nodes(message, net, before).and(&[" -> "]);
    }
    message = message.and(&["`", step.node, "`"]);
    let mut leaves = step.leaves;
    message = message.and(match leaves {
        [] => &[", the flow ends, and a state would be left behind"],
        _ => &[","],
    });
    while let [place, rest @ ..] = leaves {
        let joint = match rest {
            [] => "",
            [_] => " and",
            _ => ",",
        };
        message = message.and(&[" `", net.places[*place].key, "`", joint]);
        leaves = rest;
    }
    match step.leaves {
        [] => message,
        [_] => message.and(&[" waits, and from there a run cannot finish"]),
        _ => message.and(&[" wait, and from there a run cannot finish"]),
    }
    .help(&[HELP])
    .fail()
}

const fn start_of(version: &LockedVersion) -> Message {
    message(&[
        "runs of version ",
        version.release,
        " cannot go on in this version: ",
    ])
}

/// Appends the last nodes on the way to a step, and itself.
const fn with_nodes(mut message: Message, net: &LockedNet, step: usize) -> Message {
    let (mut way, mut len) = ([step; SHOWN_NODES], 1);
    while let Some(before) = net.moves[way[len - 1]].before {
        if len == SHOWN_NODES {
            message = message.and(&["… -> "]);
            break;
        }
        way[len] = before;
        len += 1;
    }
    while len > 0 {
        len -= 1;
        message = message.and(&["`", net.moves[way[len]].node, "`"]);
        if len > 0 {
            message = message.and(&[" -> "]);
        }
    }
    message
}

/// Whether a name is that of a node of the flow itself, without a parameter.
const fn is_word(name: &str) -> bool {
    let mut bytes = name.as_bytes();
    while let [byte, rest @ ..] = bytes {
        if matches!(*byte, b':' | b'.') {
            return false;
        }
        bytes = rest;
    }
    true
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
