//! Names of states within one flow.

use super::message::message;
use crate::{
    node::Signature,
    state::{StateRef, name::same},
};

/// A state, and the node that takes it, if this mention says so.
#[derive(Clone, Copy)]
struct Entry {
    state: StateRef,
    taken_by: &'static str,
}

/// A hash table with open addressing: comparing all pairs would trip the limit of constant
/// evaluation at a few hundred nodes.
struct Table<const SIZE: usize> {
    entries: [Option<Entry>; SIZE],
}

/// In the flow `flow` one name means one type, and each state has one consumer.
///
/// `SIZE` is at least twice the number of states mentioned.
#[track_caller]
pub const fn check_names<const SIZE: usize>(
    flow: &str,
    nodes: &[Signature],
    input: Option<StateRef>,
    output: Option<StateRef>,
) {
    let mut table = Table::<SIZE> { entries: [None; SIZE] };
    if let Some(input) = input {
        table = table.insert(flow, input, "");
    }
    if let Some(output) = output {
        table = table.insert(flow, output, "done");
    }
    let mut node = 0;
    while node < nodes.len() {
        let signature = nodes[node];
        let mut param = 0;
        while param < signature.params.len() {
            let states = signature.params[param].states;
            let mut i = 0;
            while i < states.len() {
                table = table.insert(flow, states[i], signature.name);
                i += 1;
            }
            param += 1;
        }
        let states = signature.shape.states;
        let mut i = 0;
        while i < states.len() {
            table = table.insert(flow, states[i], "");
            i += 1;
        }
        node += 1;
    }
}

impl<const SIZE: usize> Table<SIZE> {
    #[track_caller]
    const fn insert(mut self, flow: &str, state: StateRef, taken_by: &'static str) -> Self {
        let mut at = hash(state.name) % SIZE;
        let mut tried = 0;
        while tried < SIZE {
            match self.entries[at] {
                None => {
                    self.entries[at] = Some(Entry { state, taken_by });
                    return self;
                }
                Some(known) if same(known.state.name, state.name) => {
                    self.entries[at] = Some(known.meet(flow, state, taken_by));
                    return self;
                }
                Some(_) => at = (at + 1) % SIZE,
            }
            tried += 1;
        }
        self
    }
}

impl Entry {
    /// The same name again.
    #[track_caller]
    const fn meet(self, flow: &str, state: StateRef, taken_by: &'static str) -> Self {
        if !same(self.state.path, state.path) {
            message(&["two states of `", flow, "` are called `", state.name, "`: `", self.state.path, "` and `", state.path, "`"])
                .help(&["give one of them another name with `#[serde(rename = \"…\")]`"])
                .fail()
        }
        if taken_by.is_empty() || same(self.taken_by, taken_by) {
            return self;
        }
        if self.taken_by.is_empty() {
            return Self { state, taken_by };
        }
        let (one, other) = if same(self.taken_by, "done") { (taken_by, "done") } else { (self.taken_by, taken_by) };
        message(&["`", state.name, "` has two consumers in `", flow, "`: `", one, "` and `", other, "`"])
            .help(&["wrap it in a `#[state]` struct of its own at one of the two stages"])
            .fail()
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
