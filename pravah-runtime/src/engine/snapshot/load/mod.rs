//! Checks a snapshot against the flow that it is to go on with. It refuses what does not fit and says
//! what differs; it never panics, whatever the bytes.

use std::{borrow::Cow, sync::Arc};

use pravah_graph::Fingerprint;

use super::{
    super::state::{
        End, RunState,
        frame::{Frame, List},
        path::{InnerId, NodePath},
        progress::{AskedModels, Question, VisitCounts, WaitReason},
        waits::WaitIndex,
    },
    check, finish,
    map::Map,
    stored::{
        Key, Loaded, Stored, StoredAsked, StoredFrame, StoredList, StoredQuestion, StoredState,
        VERSION,
    },
};
use crate::{
    error::ErrorText,
    graph::{NodeIx, Table},
    node::{NodeKind, Token},
    state::Live,
};

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

pub(super) fn load(mut stored: Stored<'_>, table: &Arc<Table>, flow: &str) -> Loaded<RunState> {
    let (of, fingerprint) = (&stored.flow, &stored.fingerprint);
    check_origin(stored.version, of, fingerprint, table, flow)?;
    let root = frame(table, stored.take_frame())?;
    let output = output(table, stored.output)?;
    match (&output, root.tokens.is_empty()) {
        (Some(_), false) => return Err("it is finished, and yet states wait".into()),
        (None, true) => return Err("it is not finished, and yet no state waits".into()),
        _ => {}
    }
    check::questions_are_apart(&root)?;
    check::nothing_is_forgotten(&root)?;
    Ok(RunState {
        id: stored.run_id,
        waits: WaitIndex::of(&root),
        root,
        steps: stored.steps,
        end: match stored.cancelled {
            Some(reason) => Some(End::Cancelled(reason)),
            None => output.map(End::Done),
        },
        is_paused: stored.paused,
        usage: stored
            .usage
            .into_iter()
            .map(|(id, usage)| (id.into_owned(), usage))
            .collect(),
        calls: stored.calls,
        budget: stored.budget,
        asked: asked(table, stored.asked.into_iter().map(|(_, asked)| asked))?,
    })
}

fn output(table: &Table, stored: Map<Key<'_>, StoredState<'_>>) -> Loaded<Option<Live>> {
    let mut output = None;
    for (key, state) in stored {
        if *key != **table.state_key(table.output) {
            return Err(format!("the flow does not end with `{key}`").into());
        }
        output = Some(state.into_live().in_cell());
    }
    Ok(output)
}

/// An agent that was asked need not wait any more: only the net has to have such a place.
fn asked<'a>(
    table: &Arc<Table>,
    stored: impl Iterator<Item = StoredAsked<'a>>,
) -> Loaded<AskedModels> {
    let mut asked = AskedModels::default();
    for stored in stored {
        let mut inside = table;
        let mut path = Vec::with_capacity(stored.items.len());
        for (id, index) in &stored.items {
            let owner = node(inside, id)?;
            let chain = inside.chain(owner);
            inside = chain.ok_or_else(|| format!("`{id}` is not a list"))?;
            path.push(InnerId {
                owner,
                index: *index,
            });
        }
        let node = node(inside, &stored.node)?;
        if !matches!(inside.node(node).kind, NodeKind::Agent(_)) {
            return Err(format!("`{}` is not an agent", stored.node).into());
        }
        let counts = VisitCounts {
            last_visit: stored.visit.into_owned(),
            counts: stored.counts.into_owned(),
        };
        let path = NodePath { frame: path, node };
        if asked.insert(path, Arc::new(counts)).is_some() {
            return Err(format!("the questions of `{}` are counted twice", stored.node).into());
        }
    }
    Ok(asked)
}

fn frame(table: &Arc<Table>, stored: StoredFrame<'_>) -> Loaded<Frame> {
    let mut frame = Frame::new(Arc::clone(table));
    frame.is_started = true;
    for (key, state) in stored.states {
        put_state(&mut frame, &key, state.into_live())?;
    }
    finish::can_finish_unless_empty(&frame)?;
    for (key, state) in stored.inputs {
        let known = table.input_by_key.get(&*key).copied();
        let input = known.ok_or_else(|| format!("`{key}` is not the input of a flow"))?;
        Arc::make_mut(&mut frame.inputs).insert(input, state.into_live());
    }
    for (id, visits) in stored.visits {
        let node = node(table, &id)?;
        if !table.node(node).on_cycle {
            return Err(format!("`{id}` is on no loop, and its visits are counted").into());
        }
        frame.visits.insert(node, visits);
    }
    for (id, agent) in stored.agents {
        let agent = agent.progress.into_owned();
        let node = fed_node(&frame, &id)?;
        let NodeKind::Agent(known) = &table.node(node).kind else {
            return Err(format!("`{id}` is not an agent").into());
        };
        if agent.fallback() > known.spec.config.fallback.len() {
            return Err(format!("`{id}` asks a fallback that it does not have").into());
        }
        if !agent.fits_its_conversation() {
            return Err(format!("the calls of `{id}` are not those of its conversation").into());
        }
        frame.agents.insert(node, Arc::new(agent));
    }
    for (id, gate) in stored.gates {
        let node = fed_node(&frame, &id)?;
        if !matches!(table.node(node).kind, NodeKind::Gate(_)) {
            return Err(format!("`{id}` is not a gate").into());
        }
        frame
            .gates
            .insert(node, gate.answered.then_some(gate.answer));
    }
    for (id, list) in stored.lists {
        let node = fed_node(&frame, &id)?;
        let chain = table.chain(node);
        let chain = chain.ok_or_else(|| format!("`{id}` is not a list"))?;
        let len = list_len(&frame, node, &id)?;
        frame
            .lists
            .insert(node, Arc::new(self::list(chain, &id, list, len)?));
    }
    for (id, question) in stored.questions {
        let question = self::question(&frame, &id, question)?;
        frame.questions.insert(Arc::from(&*id), question);
    }
    for (id, timer) in stored.timers {
        let node = fed_node(&frame, &id)?;
        let waits = match timer.why {
            WaitReason::Model => {
                let agent = frame.agents.get(&node);
                agent.is_some_and(|agent| agent.is_models_turn())
            }
            WaitReason::Retry => table.chain(node).is_none(),
            WaitReason::Question => matches!(frame.gates.get(&node), Some(None)),
            WaitReason::Paused => false,
        };
        if !waits {
            return Err(format!("`{id}` does not wait for a time").into());
        }
        frame.timers.insert(node, timer);
    }
    for (id, attempts) in stored.attempts {
        let node = fed_node(&frame, &id)?;
        frame.attempts.insert(node, attempts);
    }
    for (id, failed) in stored.failed {
        let node = fed_node(&frame, &id)?;
        frame.failed.insert(node, Arc::new(failed.into_owned()));
    }
    let mut ready = Vec::new();
    for (id, turn) in stored.ready {
        ready.push((turn, node(table, &id)?));
    }
    restore_ready(&mut frame, ready)?;
    Ok(frame)
}

/// Puts a state where it waits; whether its node is ready is in the snapshot too.
fn put_state(frame: &mut Frame, key: &str, live: Live) -> Loaded<()> {
    let table = Arc::clone(&frame.table);
    let Some(place) = table.place_by_key.get(key) else {
        return Err(match table.state_key(table.output).as_ref() == key {
            true => format!("the state `{key}` ends the flow and cannot wait"),
            false => format!("the flow has no state `{key}`"),
        }
        .into());
    };
    if frame.tokens.contains(&place.slot) {
        return Err(format!("the state `{key}` waits where another state already does").into());
    }
    let token = Token {
        branch: place.branch,
        since: 0,
        live,
    };
    frame.place(place.slot, token);
    frame.fill(table.slot(place.slot).node);
    Ok(())
}

/// Lets the nodes take their turns in which the snapshot says so; without any the only one there is.
fn restore_ready(frame: &mut Frame, mut ready: Vec<(u64, NodeIx)>) -> Loaded<()> {
    if ready.is_empty() {
        ready.extend(frame.sole_turn());
    }
    let table = Arc::clone(&frame.table);
    for (turn, node) in ready {
        let id = table.node_id(node);
        if !frame.is_fed(node) {
            return Err(format!("`{id}` is ready, and yet not all of its states are there").into());
        }
        for slot in &table.node(node).slots {
            if let Some(token) = frame.tokens.get_mut(slot) {
                token.since = turn;
            }
        }
        frame.ready.insert((turn, node), ());
    }
    Ok(())
}

fn list(chain: &Arc<Table>, id: &str, stored: StoredList<'_>, len: usize) -> Loaded<List> {
    let mut list = List {
        len,
        ..List::default()
    };
    for (index, state) in stored.done {
        list.done.insert(index, state.into_live().in_cell());
    }
    for (index, stored) in stored.items {
        let item = frame(chain, stored)
            .map_err(|why| why.followed_by(format_args!(" (item {index} of `{id}`)")))?;
        if item.tokens.is_empty() {
            return Err(
                format!("item {index} of `{id}` is not done, and yet no state waits").into(),
            );
        }
        if list.done.contains(&index) {
            return Err(format!("item {index} of `{id}` is done, and yet states wait").into());
        }
        if !item.ready.is_empty() {
            list.movable.insert(index, ());
        }
        list.items.insert(index, item.into());
    }
    let last = list.done.last().map(|(index, _)| *index);
    let last = last.max(list.items.last().map(|(index, _)| *index));
    if last.is_some_and(|last| last >= len) {
        return Err(format!("the items of `{id}` are more than its list has").into());
    }
    list.find_next();
    Ok(list)
}

fn question(frame: &Frame, id: &str, stored: StoredQuestion<'_>) -> Loaded<Question> {
    let node = node(&frame.table, &stored.node)?;
    let call = stored.call.map(Cow::into_owned);
    let agent = frame.agents.get(&node);
    let waits = match (&call, agent) {
        (None, None) => matches!(frame.gates.get(&node), Some(None)),
        (None, Some(agent)) => agent.is_in_review(),
        (Some(call), Some(agent)) => agent.open().iter().any(|open| open.call_id == *call),
        (Some(_), None) => false,
    };
    if !waits {
        return Err(format!("nothing waits for the question `{id}`").into());
    }
    Ok(Question {
        number: stored.number,
        node,
        call,
        value: stored.value,
    })
}

/// How many items wait in the list at `node`.
fn list_len(frame: &Frame, node: NodeIx, id: &str) -> Loaded<usize> {
    let slot = frame.table.node(node).slots.first();
    let token = slot.and_then(|slot| frame.tokens.get(slot));
    match token.and_then(|token| token.live.raw_len()) {
        Some(len) => len
            .map_err(|error| ErrorText::new(format!("what waits for `{id}` is not a list"), error)),
        None => Err(format!("no list waits for `{id}`").into()),
    }
}

fn node(table: &Table, id: &str) -> Loaded<NodeIx> {
    table
        .node_by_key
        .get(id)
        .copied()
        .ok_or_else(|| format!("the flow has no node that takes `{id}` first").into())
}

/// A node whose states are all there.
fn fed_node(frame: &Frame, id: &str) -> Loaded<NodeIx> {
    let node = node(&frame.table, id)?;
    if frame.is_fed(node) {
        return Ok(node);
    }
    Err(format!("`{id}` has started, and yet not all of its states are there").into())
}
