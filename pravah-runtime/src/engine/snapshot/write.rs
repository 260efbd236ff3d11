//! Writing a run straight from its live states, without a copy of anything.

use serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeSeq},
};

use super::{
    super::{
        each::{EachProgress, chain},
        marking::{Marking, Progress},
        run::RunState,
        suspension::Open,
    },
    VERSION,
    stored::{StoredGate, StoredQuestions, StoredSuspension, StoredTimer},
};
use crate::graph::{NodeIx, Table};

pub(super) fn run<S: Serializer>(
    table: &Table,
    flow: &str,
    state: &RunState,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("version", &VERSION)?;
    map.serialize_entry("flow", flow)?;
    map.serialize_entry("run_id", &*state.id)?;
    map.serialize_entry("fingerprint", &table.fingerprint_text)?;
    map.serialize_entry("steps", &state.steps)?;
    if state.finished {
        map.serialize_entry("finished", &true)?;
    }
    fields(&mut map, table, &state.marking)?;
    if !state.suspensions.is_empty() {
        let suspensions: Vec<_> = state
            .suspensions
            .iter()
            .map(|open| suspension(table, open))
            .collect();
        map.serialize_entry("suspensions", &suspensions)?;
    }
    if !state.timers.is_empty() {
        let timers: Vec<_> = state
            .timers
            .iter()
            .map(|timer| {
                let (items, table) = items(table, &timer.items);
                StoredTimer {
                    until: timer.until,
                    items,
                    node: table.node_key(timer.node).to_owned(),
                }
            })
            .collect();
        map.serialize_entry("timers", &timers)?;
    }
    if state.calls > 0 {
        map.serialize_entry("calls", &state.calls)?;
    }
    if !state.budget.is_unlimited() {
        map.serialize_entry("budget", &state.budget)?;
    }
    if !state.questions.is_empty() {
        let questions: Vec<_> = state
            .questions
            .iter()
            .map(|(place, asked)| {
                let (items, table) = items(table, &place.items);
                StoredQuestions {
                    items,
                    node: table.node_key(place.node).to_owned(),
                    visit: asked.last_visit.clone(),
                    counts: asked.counts.clone(),
                }
            })
            .collect();
        map.serialize_entry("questions", &questions)?;
    }
    if !state.usage.is_empty() {
        map.serialize_entry("usage", &state.usage)?;
    }
    map.end()
}

/// A node is written as the first state that it takes: that is its alone, and stays when a function
/// is renamed.
struct Keys<'a, I>(&'a Table, I);

/// A marking on its own.
struct MarkingIn<'a>(&'a Table, &'a Marking);

impl Serialize for MarkingIn<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        fields(&mut map, self.0, self.1)?;
        map.end()
    }
}

/// The fields of a marking, into the object around it. What is empty is left out, but for
/// `states`; so is `ready` where it is just the [`Marking::sole_node`]. A sole node that is suspended
/// has `[]`.
fn fields<M: SerializeMap>(map: &mut M, table: &Table, marking: &Marking) -> Result<(), M::Error> {
    entries(
        map,
        "inputs",
        marking
            .inputs
            .iter()
            .map(|(state, live)| (table.state_key(*state), live)),
    )?;
    let states = marking
        .tokens()
        .iter()
        .map(|token| (table.state_key(token.state), &token.live));
    map.serialize_entry("states", &Entries(states))?;
    if !marking.ready.iter().eq(&marking.sole_node(table)) {
        map.serialize_entry("ready", &Keys(table, marking.ready.iter().copied()))?;
    }
    let progress = || {
        marking
            .all_progress()
            .iter()
            .map(|(node, progress)| (table.node_key(*node), *node, progress))
    };
    let agents = progress().filter_map(|(id, _, progress)| match progress {
        Progress::Agent(agent) => Some((id, &**agent)),
        _ => None,
    });
    entries(map, "agents", agents)?;
    let gates = progress().filter_map(|(id, _, progress)| match progress {
        Progress::Gate(answer) => Some((
            id,
            StoredGate {
                answered: answer.is_some(),
                answer: answer.clone().unwrap_or_default(),
            },
        )),
        _ => None,
    });
    entries(map, "gates", gates)?;
    let lists = progress().filter_map(|(id, node, progress)| match progress {
        Progress::Each(each) => Some((id, ListIn(chain(table, node).ok()?, each))),
        _ => None,
    });
    entries(map, "lists", lists)?;
    entries(
        map,
        "visits",
        marking
            .all_visits()
            .iter()
            .map(|(node, visits)| (table.node_key(*node), visits)),
    )
}

fn entries<M, I, K, V>(map: &mut M, name: &'static str, entries: I) -> Result<(), M::Error>
where
    M: SerializeMap,
    I: Iterator<Item = (K, V)> + Clone,
    K: Serialize,
    V: Serialize,
{
    if entries.clone().next().is_none() {
        return Ok(());
    }
    map.serialize_entry(name, &Entries(entries))
}

struct Entries<I>(I);

impl<I, K, V> Serialize for Entries<I>
where
    I: Iterator<Item = (K, V)> + Clone,
    K: Serialize,
    V: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.clone())
    }
}

impl<I: Iterator<Item = NodeIx> + Clone> Serialize for Keys<'_, I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut keys = serializer.serialize_seq(None)?;
        for node in self.1.clone() {
            keys.serialize_element(self.0.node_key(node))?;
        }
        keys.end()
    }
}

struct ListIn<'a>(&'a Table, &'a EachProgress);

impl Serialize for ListIn<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(table, each) = self;
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("next", &each.next)?;
        map.serialize_entry("active", &each.active)?;
        let items = each
            .items
            .iter()
            .map(|(item, marking)| (item, MarkingIn(table, marking)));
        map.serialize_entry("items", &Entries(items))?;
        map.serialize_entry("done", &each.done)?;
        map.end()
    }
}

fn suspension(table: &Table, open: &Open) -> StoredSuspension {
    let (items, table) = items(table, &open.items);
    StoredSuspension {
        id: open.id.clone(),
        value: open.value.clone(),
        items,
        node: table.node_key(open.node).to_owned(),
        call: open.call.clone(),
        announced: open.announced,
    }
}

/// The lists and items around a node by their keys, and the chain of the innermost.
fn items<'a>(table: &'a Table, items: &[(NodeIx, usize)]) -> (Vec<(String, usize)>, &'a Table) {
    let mut table = table;
    let mut keys = Vec::with_capacity(items.len());
    for (each, item) in items {
        keys.push((table.node_key(*each).to_owned(), *item));
        match chain(table, *each) {
            Ok(inner) => table = inner,
            Err(_) => break,
        }
    }
    (keys, table)
}
