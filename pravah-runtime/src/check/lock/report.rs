//! What the compiler says of runs that cannot go on.

use super::{
    super::message::{Message, message},
    Checked, Image, LockedMove, LockedNet, LockedPlace, LockedVersion, split, text,
};
use crate::{quoted::article, state::name::same};

/// How many nodes a message names on the way to a place.
const SHOWN_NODES: usize = 6;

const RENAMED_OR_MOVED: &str = "; a state that has another name now keeps this one with `#[serde(rename = \"…\")]`; a `#[migrate(slot)]` function that `migrate(…)` names moves it to another state";

const HELP: &str = "keep the earlier nodes beside the new ones until those runs have ended, then remove the version from the lock file";

impl<const SIZE: usize> Checked<'_, SIZE> {
    #[track_caller]
    pub(super) const fn report_gone(
        &self,
        version: &LockedVersion,
        net: &LockedNet,
        place: &LockedPlace,
    ) -> ! {
        let run = start_of(version);
        let message = match place.left_by {
            Some(step) => with_nodes(run.and(&["after "]), net, step),
            None => run.and(&["at the start"]),
        };
        let message = message
            .and(&[", ", article(place.key), " `", place.key])
            .and(&["` waits, and no node of this version takes it"]);
        let message = self.and_migrations(message, version, place).help(&[
            "keep a node that takes `",
            place.key,
            "`",
        ]);
        match split(place.key, b'@')[1] {
            [] => message.and(&[RENAMED_OR_MOVED]),
            _ => message,
        }
        .fail()
    }

    #[track_caller]
    pub(super) const fn report_stranded(
        &self,
        version: &LockedVersion,
        net: &LockedNet,
        step: &LockedMove,
    ) -> ! {
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
        let message = match step.leaves {
            [] => message,
            [_] => message.and(&[" waits, and from there a run cannot finish"]),
            _ => message.and(&[" wait, and from there a run cannot finish"]),
        };
        self.and_kept(message, net, step).help(&[HELP]).fail()
    }

    /// Appends why migrations that look as if they were for a state do not move it.
    const fn and_migrations(
        &self,
        mut message: Message,
        version: &LockedVersion,
        place: &LockedPlace,
    ) -> Message {
        let mut moved = self.moved;
        while let [it, rest @ ..] = moved {
            let start = ["; the migration `", it.migration, "` "];
            message = match (it.is_moved, same(it.key, place.key)) {
                (false, _) if same(it.key, type_name(place.key)) => message
                    .and(&start)
                    .and(&["reads it, and does not move it: write `#[migrate(slot)]`"]),
                (true, true) if !matches!(self.new_image(it), Image::At(_)) => message
                    .and(&start)
                    .and(&["moves it to `", it.to, "`, which no node takes"]),
                (true, false) if !has_state(version.net, it.key) => message.and(&start).and(&[
                    "moves `",
                    it.key,
                    "`, which is no state of that version",
                ]),
                _ => message,
            };
            moved = rest;
        }
        message
    }

    /// Appends which migrations do not move what a step leaves, since it has a place.
    const fn and_kept(&self, mut message: Message, net: &LockedNet, step: &LockedMove) -> Message {
        let mut moved = self.moved;
        while let [it, rest @ ..] = moved {
            let mut leaves = step.leaves;
            while let [place, others @ ..] = leaves {
                let key = net.places[*place].key;
                if it.is_moved && same(it.key, key) {
                    message = message
                        .and(&["; the migration `", it.migration, "` does not move `"])
                        .and(&[key, "`, which still has a place in this version"]);
                }
                leaves = others;
            }
            moved = rest;
        }
        message
    }
}

#[track_caller]
pub(super) const fn report_start(version: &LockedVersion) -> ! {
    start_of(version)
        .and(&["some of the states that they start with would wait for ever, or be left behind"])
        .help(&[HELP])
        .fail()
}

#[track_caller]
pub(super) const fn report_unclear(version: &LockedVersion, place: &LockedPlace) -> ! {
    let [state, _] = split(place.key, b'@');
    let message = start_of(version)
        .and(&[
            article(text(state)),
            " `",
            text(state),
            "` that waited for `",
            place.taker,
        ])
        .and(&["` may be for several nodes or parameters of this version, and none of them has that name"]);
    match is_word(place.taker) {
        true => message.help(&["call one of them so: `other as ", place.taker, "`"]),
        false => message.help(&["keep the names of the node that took it, and of its parameters"]),
    }
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

/// Whether a state of this key waits in a net, or in a chain of it.
const fn has_state(net: &LockedNet, key: &str) -> bool {
    let mut places = net.places;
    while let [place, rest @ ..] = places {
        if same(place.key, key) {
            return true;
        }
        places = rest;
    }
    let mut chains = net.chains;
    while let [(_, chain), rest @ ..] = chains {
        if has_state(chain, key) {
            return true;
        }
        chains = rest;
    }
    false
}

/// The name of the state with this key: `Draft`, for `review::Draft`.
const fn type_name(key: &str) -> &str {
    let bytes = key.as_bytes();
    text(bytes.split_at(super::around(bytes).len()).1)
}
