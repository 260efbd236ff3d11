//! Checks a snapshot against the flow that it is to go on with. It refuses what does not fit and says
//! what differs; it never panics, whatever the bytes.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
};

use pravah_graph::Fingerprint;

use super::{
    super::{
        each::EachProgress,
        marking::{Marking, Progress},
        questions::{Place, Questions, VisitCounts},
        run::RunState,
    },
    VERSION,
    map::{Map, find_duplicate},
    stored::{Stored, StoredGate, StoredList, StoredMarking, StoredQuestions},
    waits::{self, Waits},
};
use crate::{
    agent::AgentProgress,
    error::ErrorText,
    graph::{NodeIx, SlotIx, StateIx, Table, Target},
    node::NodeKind,
    state::Live,
};

pub(super) type Loaded<T> = Result<T, ErrorText>;

/// Version, flow and net have to be the same.
pub(super) fn check_origin(
    version: u32,
    of: &str,
    fingerprint: &str,
    table: &Table,
    flow: &str,
) -> Loaded<()> {
    if version != VERSION {
        return Err(format!("it has version {version}, and this is version {VERSION}").into());
    }
    if of != flow {
        return Err(format!("it is of the flow `{of}`, and this is `{flow}`").into());
    }
    if fingerprint != table.fingerprint_text {
        if let Err(error) = fingerprint.parse::<Fingerprint>() {
            let problem = format!("`{fingerprint}` is not a fingerprint");
            return Err(ErrorText::new(problem, error));
        }
        return Err(format!(
            "its flow `{flow}` had other nodes: its fingerprint is {fingerprint}, and this is {}",
            table.fingerprint_text
        )
        .into());
    }
    Ok(())
}

pub(super) fn load(mut stored: Stored, table: &Arc<Table>, flow: &str) -> Loaded<RunState> {
    let (of, fingerprint) = (&stored.flow, &stored.fingerprint);
    check_origin(stored.version, of, fingerprint, table, flow)?;
    let marking = marking(table, stored.take_marking())?;
    if stored.finished && (!marking.tokens().is_empty() || !stored.suspensions.is_empty()) {
        return Err("it is finished, and yet states wait".into());
    }
    if !stored.finished && marking.tokens().is_empty() {
        return Err("it is not finished, and yet no state waits".into());
    }
    let suspensions = waits::suspensions(table, &marking, &stored.suspensions)?;
    let timers = waits::timers(table, &marking, &stored.timers)?;
    let waits = Waits {
        suspensions: &suspensions,
        timers: &timers,
    };
    waits.nothing_forgotten(table, &marking, &mut Vec::new())?;
    Ok(RunState {
        id: stored.run_id,
        marking,
        suspensions,
        timers,
        steps: stored.steps,
        finished: stored.finished,
        usage: stored.usage,
        calls: stored.calls,
        budget: stored.budget,
        questions: questions(table, stored.questions)?,
    })
}

/// An agent that was asked need not wait any more: only the net has to have such a place.
fn questions(table: &Arc<Table>, stored: Vec<StoredQuestions>) -> Loaded<Questions> {
    let mut questions = Questions::default();
    for stored in stored {
        let mut inside = table;
        let mut items = Vec::with_capacity(stored.items.len());
        for (id, item) in &stored.items {
            let each = node(inside, id)?;
            let Some(NodeKind::Each(list)) = kind(inside, each) else {
                return Err(format!("`{id}` is not a list").into());
            };
            inside = &list.chain.table;
            items.push((each, *item));
        }
        let node = node(inside, &stored.node)?;
        if !matches!(kind(inside, node), Some(NodeKind::Agent(_))) {
            return Err(format!("`{}` is not an agent", stored.node).into());
        }
        let counts = VisitCounts {
            last_visit: stored.visit,
            counts: stored.counts,
        };
        if !questions.restore(Place { items, node }, counts) {
            return Err(format!("the questions of `{}` are counted twice", stored.node).into());
        }
    }
    Ok(questions)
}

fn marking(table: &Table, stored: StoredMarking) -> Loaded<Marking> {
    let mut marking = Marking::default();
    for (key, raw) in stored.states {
        let state = state(table, &key)?;
        let Some(Target::Slot { slot, .. }) = table.target(state) else {
            return Err(format!("the state `{key}` ends the flow and cannot wait").into());
        };
        marking
            .restore(table, (slot, state), Live::raw(raw))
            .map_err(|()| format!("the state `{key}` waits where another state already does"))?;
    }
    for (key, raw) in stored.inputs {
        let state = state(table, &key)?;
        if !table.opens(state) {
            return Err(format!("`{key}` is not the input of a flow").into());
        }
        marking.set_input(state, Live::raw(raw));
    }
    for (id, visits) in stored.visits {
        let node = node(table, &id)?;
        if !table.node(node).is_ok_and(|entry| entry.on_cycle) {
            return Err(format!("`{id}` is on no loop, and its visits are counted").into());
        }
        marking.set_visits(node, visits);
    }
    agents(table, &mut marking, stored.agents)?;
    gates(table, &mut marking, stored.gates)?;
    lists(table, &mut marking, stored.lists)?;
    marking.ready = match &stored.ready {
        Some(ids) => ready(table, &marking, ids)?,
        None => marking.sole_node(table).into_iter().collect(),
    };
    Ok(marking)
}

fn ready(table: &Table, marking: &Marking, ids: &[String]) -> Loaded<VecDeque<NodeIx>> {
    let mut ready = VecDeque::with_capacity(ids.len());
    for id in ids {
        let node = node(table, id)?;
        if !is_fed(table, marking, node) {
            return Err(format!("`{id}` is ready, and yet not all of its states are there").into());
        }
        ready.push_back(node);
    }
    match find_duplicate(ids.iter()) {
        Some(id) => Err(format!("`{id}` is ready twice").into()),
        None => Ok(ready),
    }
}

fn agents(table: &Table, marking: &mut Marking, agents: Map<String, AgentProgress>) -> Loaded<()> {
    for (id, agent) in agents {
        let node = fed_node(table, marking, &id)?;
        let Some(NodeKind::Agent(known)) = kind(table, node) else {
            return Err(format!("`{id}` is not an agent").into());
        };
        if agent.fallback() > known.spec.config.fallback.len() {
            return Err(format!("`{id}` asks a fallback that it does not have").into());
        }
        if !agent.fits_its_conversation() {
            return Err(format!("the calls of `{id}` are not those of its conversation").into());
        }
        marking.set_progress(node, Progress::Agent(agent.into()));
    }
    Ok(())
}

fn gates(table: &Table, marking: &mut Marking, gates: Map<String, StoredGate>) -> Loaded<()> {
    for (id, gate) in gates {
        let node = fed_node(table, marking, &id)?;
        if !matches!(kind(table, node), Some(NodeKind::Gate(_))) {
            return Err(format!("`{id}` is not a gate").into());
        }
        let answer = gate.answered.then_some(gate.answer);
        marking.set_progress(node, Progress::Gate(answer));
    }
    Ok(())
}

fn lists(table: &Table, marking: &mut Marking, lists: Map<String, StoredList>) -> Loaded<()> {
    for (id, list) in lists {
        let node = fed_node(table, marking, &id)?;
        let Some(NodeKind::Each(each)) = kind(table, node) else {
            return Err(format!("`{id}` is not a list").into());
        };
        let len = list_len(table, marking, node, &id)?;
        let progress = self::list(&each.chain.table, &id, list, len)?;
        marking.set_progress(node, Progress::Each(Arc::new(progress)));
    }
    Ok(())
}

fn list(chain: &Table, id: &str, stored: StoredList, len: usize) -> Loaded<EachProgress> {
    let items = stored.items.iter().map(|(item, _)| *item);
    let started: BTreeSet<usize> = items
        .chain(stored.done.iter().map(|(item, _)| *item))
        .collect();
    let all_started = started.iter().copied().eq(0..stored.next);
    if !all_started || started.len() != stored.items.len() + stored.done.len() || stored.next > len
    {
        return Err(format!("the items of `{id}` do not add up").into());
    }
    let mut each = EachProgress {
        len,
        next: stored.next,
        active: VecDeque::with_capacity(stored.active.len()),
        items: Default::default(),
        done: stored
            .done
            .into_iter()
            .map(|(item, raw)| (item, Live::raw(raw)))
            .collect(),
    };
    for (item, stored) in stored.items {
        let marking = marking(chain, stored)
            .map_err(|why| why.followed_by(format_args!(" (item {item} of `{id}`)")))?;
        if marking.tokens().is_empty() {
            return Err(
                format!("item {item} of `{id}` is not done, and yet no state waits").into(),
            );
        }
        each.items.insert(item, marking);
    }
    for item in stored.active {
        let can_move = each
            .items
            .get(&item)
            .is_some_and(|marking| !marking.ready.is_empty());
        if !can_move || each.active.contains(&item) {
            return Err(
                format!("item {item} of `{id}` cannot move, and yet it is its turn").into(),
            );
        }
        each.active.push_back(item);
    }
    Ok(each)
}

/// How many items wait in the list at `node`.
fn list_len(table: &Table, marking: &Marking, node: NodeIx, id: &str) -> Loaded<usize> {
    let slot = table
        .node(node)
        .ok()
        .and_then(|entry| entry.slots.first().copied());
    match slot
        .and_then(|slot: SlotIx| marking.token(slot))
        .and_then(|token| token.live.raw_len())
    {
        Some(len) => len
            .map_err(|error| ErrorText::new(format!("what waits for `{id}` is not a list"), error)),
        None => Err(format!("no list waits for `{id}`").into()),
    }
}

fn state(table: &Table, key: &str) -> Loaded<StateIx> {
    table
        .state_by_key
        .get(key)
        .copied()
        .ok_or_else(|| format!("the flow has no state `{key}`").into())
}

pub(super) fn node(table: &Table, id: &str) -> Loaded<NodeIx> {
    table
        .node_by_key
        .get(id)
        .copied()
        .ok_or_else(|| format!("the flow has no node that takes `{id}` first").into())
}

/// A node whose states are all there.
fn fed_node(table: &Table, marking: &Marking, id: &str) -> Loaded<NodeIx> {
    let node = node(table, id)?;
    if is_fed(table, marking, node) {
        return Ok(node);
    }
    Err(format!("`{id}` has started, and yet not all of its states are there").into())
}

pub(super) fn is_fed(table: &Table, marking: &Marking, node: NodeIx) -> bool {
    table.node(node).is_ok_and(|entry| {
        entry
            .slots
            .iter()
            .all(|slot| marking.token(*slot).is_some())
    })
}

pub(super) fn kind(table: &Table, node: NodeIx) -> Option<&NodeKind> {
    table.node(node).ok().map(|entry| &entry.kind)
}
