//! Names of states within one flow.

use super::{edges::is_of_the_runtime, message::message, net::Net};
use crate::{
    node::Signature,
    state::{StateRef, name::same},
};

/// A state, and who takes it, if this mention says so.
#[derive(Clone, Copy)]
struct Entry {
    state: StateRef,
    taken_by: Option<Consumer>,
}

/// Who takes a state.
#[derive(Clone, Copy)]
struct Consumer {
    name: &'static str,
    /// The node's number: two nodes may be called alike. One more than the last is `done`.
    number: usize,
}

/// A hash table with open addressing: comparing all pairs would trip the limit of constant
/// evaluation at a few hundred nodes.
struct Table<const SIZE: usize> {
    entries: [Option<Entry>; SIZE],
}

/// In the flow `flow` one name means one type, and each state has one consumer. Of consumers nothing
/// is said where an edge is wrong: the state may only have been led to the wrong node.
///
/// `SIZE` is [`names_size`] of the net.
#[track_caller]
pub const fn check_names<const SIZE: usize>(
    flow: &str,
    net: &Net,
    input: Option<StateRef>,
    output: Option<StateRef>,
) {
    let mut table = Table::<SIZE> {
        entries: [None; SIZE],
    };
    let mut clash = None;
    if let Some(state) = input {
        table.insert_all(flow, &[state], None, &mut clash);
    }
    if let Some(state) = output {
        let done = Consumer {
            name: "done",
            number: net.nodes.len(),
        };
        table.insert_all(flow, &[state], Some(done), &mut clash);
    }
    let mut number = 0;
    while number < net.nodes.len() {
        let Signature {
            name,
            params,
            shape,
            broken,
            ..
        } = net.nodes[number].signature;
        let mut param = 0;
        // The node was reported where it is written.
        while param < params.len() && !broken {
            table.insert_all(
                flow,
                params[param].states,
                Some(Consumer { name, number }),
                &mut clash,
            );
            param += 1;
        }
        if !broken {
            table.insert_all(flow, shape.states, None, &mut clash);
        }
        number += 1;
    }
    let mut arc = 0;
    while arc < net.arcs.len() {
        if let Some(state) = net.arcs[arc].carried.failure_state() {
            table.insert_all(flow, &[state], None, &mut clash);
        }
        arc += 1;
    }
    if let Some(clash) = clash
        && net.is_in_order()
    {
        clash.fail(flow)
    }
}

/// Room for all states that a net mentions, twice over.
pub const fn names_size(net: &Net) -> usize {
    let mut mentions = 2 + net.arcs.len();
    let mut number = 0;
    while number < net.nodes.len() {
        let Signature { params, shape, .. } = net.nodes[number].signature;
        let mut param = 0;
        while param < params.len() {
            mentions += params[param].states.len();
            param += 1;
        }
        mentions += shape.states.len();
        number += 1;
    }
    (2 * mentions).next_power_of_two()
}

/// A state that two take.
#[derive(Clone, Copy)]
struct Clash {
    state: StateRef,
    one: Consumer,
    other: Consumer,
}

impl Clash {
    #[track_caller]
    const fn fail(self, flow: &str) {
        // `done` is noted first, and reads better as the second.
        let (one, other) = if self.one.number > self.other.number {
            (self.other, self.one)
        } else {
            (self.one, self.other)
        };
        let mistake = message(&[])
            .and_state(self.state)
            .and(&[" has two consumers in `", flow, "`: `"])
            .and(&[one.name, "` and `", other.name, "`"]);
        if is_of_the_runtime(self.state) {
            mistake
                .help(&["let it hold another `#[state]` at one of the two stages"])
                .fail()
        }
        mistake
            .help(&["wrap it in a `#[state]` struct of its own at one of the two stages"])
            .fail()
    }
}

impl<const SIZE: usize> Table<SIZE> {
    #[track_caller]
    const fn insert_all(
        &mut self,
        flow: &str,
        states: &[StateRef],
        taken_by: Option<Consumer>,
        clash: &mut Option<Clash>,
    ) {
        let mut i = 0;
        while i < states.len() {
            self.insert(
                flow,
                Entry {
                    state: states[i],
                    taken_by,
                },
                clash,
            );
            i += 1;
        }
    }

    #[track_caller]
    const fn insert(&mut self, flow: &str, entry: Entry, clash: &mut Option<Clash>) {
        let mut at = hash(entry.state.name) % SIZE;
        let mut tried = 0;
        while tried < SIZE {
            match self.entries[at] {
                None => {
                    self.entries[at] = Some(entry);
                    return;
                }
                Some(known) if same(known.state.name, entry.state.name) => {
                    self.entries[at] = Some(known.meet(flow, entry, clash));
                    return;
                }
                Some(_) => at = (at + 1) % SIZE,
            }
            tried += 1;
        }
    }
}

impl Entry {
    /// The same name again.
    #[track_caller]
    const fn meet(self, flow: &str, again: Self, clash: &mut Option<Clash>) -> Self {
        let (state, other) = (self.state, again.state);
        if !same(state.path, other.path) || !same(state.place, other.place) {
            message(&["two states of `", flow, "` are called "])
                .and_state(state)
                .and(&[": `", state.path, "` and `", other.path, "`"])
                .help(&["give one of them another name with `#[serde(rename = \"…\")]`"])
                .fail()
        }
        let (Some(one), Some(other)) = (self.taken_by, again.taken_by) else {
            return if self.taken_by.is_some() { self } else { again };
        };
        if one.number != other.number && clash.is_none() {
            *clash = Some(Clash { state, one, other });
        }
        self
    }
}

/// FNV-1a, <http://www.isthe.com/chongo/tech/comp/fnv/>.
const fn hash(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut hash: u32 = 0x811c_9dc5;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u32).wrapping_mul(0x0100_0193);
        i += 1;
    }
    hash as usize
}
