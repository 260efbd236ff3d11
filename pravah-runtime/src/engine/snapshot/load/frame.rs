//! A net being run, with what waits in it.

use std::{mem::take, sync::Arc};

use super::{
    super::{
        super::state::frame::Frame,
        finish,
        map::Map,
        stored::{Key, Loaded, StoredFrame, StoredProgress, StoredQuestion, StoredState, sections},
    },
    Loader, OnError,
    latest::{ItemStart, LatestByKey},
    passed::count_passed,
    put::put_at,
};
use crate::{
    engine::load_help,
    error::ErrorText,
    graph::{NodeIx, Place, Table},
    sorted_map::SortedMap,
};

impl Loader {
    /// `item` is what an item of a list starts with.
    pub(super) fn frame(
        &mut self,
        table: &Arc<Table>,
        stored: StoredFrame<'_>,
        item: Option<ItemStart<'_>>,
    ) -> Loaded<Frame> {
        let mut frame = Frame::new(Arc::clone(table));
        frame.is_started = true;
        self.places.clear();
        self.section(
            (sections::states, stored.states, OnError::Refuse),
            |loader, key, state| loader.put_state(table, &mut frame, &key, state),
        )?;
        let mut progress = stored.progress;
        let (item, captured) = item.map_or((None, &[][..]), |it| (it.state, it.latest));
        let mut latest = LatestByKey::new();
        if let Some(progress) = &mut progress {
            latest = self.latest(&mut frame, progress, captured)?;
            let shared = (
                sections::shared_states,
                take(&mut progress.shared_states),
                OnError::Refuse,
            );
            self.section(shared, |loader, key, holder| {
                loader.share_state(table, &mut frame, &key, &holder)
            })?;
        }
        finish::check_can_finish(&frame)?;
        let inputs = (stored.inputs, stored.shared_inputs);
        if let Some(progress) = &mut progress {
            let inputs = take(&mut progress.latest_inputs);
            self.latest_inputs(&mut frame, inputs, &latest)?;
        }
        self.inputs(table, &mut frame, inputs, item)?;
        self.check_latest(&mut frame)?;
        let passed = self.passed(&frame);
        if let Some(progress) = progress {
            self.progress(&mut frame, *progress)?;
        }
        count_passed(&mut frame, passed);
        self.ready(&mut frame, stored.ready)?;
        Ok(frame)
    }

    fn progress(&mut self, frame: &mut Frame, stored: StoredProgress<'_>) -> Loaded<()> {
        let table = Arc::clone(&frame.table);
        let started = self.started_nodes(&table, &stored);
        self.section(
            (sections::visits, stored.visits, OnError::Drop),
            |loader, id, visits| {
                // A node may have been on a loop in another version: its next step is another one all the same.
                let node = loader.node(&table, &id)?;
                // Of two nodes that are one now the larger number has no keys of either behind it.
                let known = frame
                    .progress
                    .visits
                    .get(&node)
                    .copied()
                    .unwrap_or_default();
                frame.progress.visits.insert(node, visits.max(known));
                Ok(())
            },
        )?;
        let on_error = self.on_error_in_progress();
        self.section(
            (sections::agents, stored.agents, on_error),
            |loader, id, agent| loader.agent(frame, &id, agent),
        )?;
        let questions = stored.questions;
        self.section(
            (sections::gates, stored.gates, on_error),
            |loader, id, gate| loader.gate(frame, &id, gate, asked_by(&questions, &id)),
        )?;
        self.section(
            (sections::remotes, stored.remotes, on_error),
            |loader, id, remote| loader.remote(frame, &id, remote),
        )?;
        self.section(
            (sections::lists, stored.lists, on_error),
            |loader, id, list| loader.list(frame, &id, list),
        )?;
        self.check_tasks(frame)?;
        let questions = (sections::questions, questions, on_error);
        self.section(questions, |loader, id, question| {
            let question = loader.question(frame, &id, question)?;
            frame.progress.questions.insert(Arc::from(&*id), question);
            Ok(())
        })?;
        self.drop_gates_without_question(frame);
        self.section(
            (sections::timers, stored.timers, on_error),
            |loader, id, timer| loader.timer(frame, &id, timer),
        )?;
        self.section(
            (sections::attempts, stored.attempts, on_error),
            |loader, id, it| {
                let node = loader.fed_node(frame, &id)?;
                if started.contains(&node) && !frame.progress.has_started(node) {
                    return Err(format!("`{id}` starts over").into());
                }
                insert_new(&mut frame.progress.attempts, (node, &id), it)
            },
        )?;
        self.section(
            (sections::failed, stored.failed, on_error),
            |loader, id, failed| {
                let node = loader.fed_node(frame, &id)?;
                let is_invoke = table.node(node).kind.is_invoke();
                if is_invoke && frame.has_tasks(node) {
                    return Err(format!("`{id}` has failed, and yet waits for its calls").into());
                }
                let failed = Arc::new(failed.into_owned());
                insert_new(&mut frame.progress.failed, (node, &id), failed)
            },
        )
    }

    /// The nodes that have started, as far as what they have done may be dropped.
    fn started_nodes(&self, table: &Table, stored: &StoredProgress<'_>) -> Vec<NodeIx> {
        if !self.drop_progress {
            return Vec::new();
        }
        let agents = stored.agents.iter().map(|(id, _)| id);
        let gates = stored.gates.iter().map(|(id, _)| id);
        let remotes = stored.remotes.iter().map(|(id, _)| id);
        let lists = stored.lists.iter().map(|(id, _)| id);
        let ids = agents.chain(gates).chain(remotes).chain(lists);
        ids.filter_map(|id| self.node(table, id).ok()).collect()
    }

    /// A gate whose question was dropped asks again.
    fn drop_gates_without_question(&mut self, frame: &mut Frame) {
        if !self.drop_progress {
            return;
        }
        let gates = frame.progress.gates.iter();
        let asking = gates.filter(|(node, answer)| {
            answer.is_none() && frame.questions_of(**node).next().is_none()
        });
        for node in asking.map(|(node, _)| *node).collect::<Vec<_>>() {
            frame.progress.gates.remove(&node);
            let key = &frame.table.node(node).key;
            self.drop_entry(sections::gates, key, "its question is not there".into());
        }
    }

    /// Puts a state where it waits, if it can be read.
    fn put_state(
        &mut self,
        table: &Table,
        frame: &mut Frame,
        key: &str,
        stored: StoredState<'_>,
    ) -> Loaded<()> {
        let place = match self.place(table, key) {
            Ok(place) => place,
            Err(why) => {
                let live = stored.into_live();
                let Some(moving) = self.migrations.moving(key, &live) else {
                    let reasons = self.migrations.why_not_moved(key, table);
                    let and = |why: ErrorText, reason| why.followed_by(format_args!("; {reason}"));
                    return Err(reasons.into_iter().fold(why, and));
                };
                self.migrated.push(self.at.clone());
                let live = self.migrations.move_state(moving, &live)?;
                let place = moving.place();
                let to = self.place(table, &place).map_err(|why| {
                    let text = format!("`{key}` cannot be moved by {}", moving.name());
                    ErrorText::new(text, why)
                })?;
                self.note_place(key, to);
                let live = match table.state_at(to) {
                    Some(state) => self.as_state(table, state, live)?,
                    None => live,
                };
                return put_at(frame, to, &place, live);
            }
        };
        self.note_place(key, place);
        let live = match table.state_at(place) {
            Some(state) => self.live(table, state, stored)?,
            None => stored.into_live(),
        };
        put_at(frame, place, key, live)
    }

    /// Puts the state that waits at another place where it waits too.
    fn share_state(
        &mut self,
        table: &Table,
        frame: &mut Frame,
        key: &str,
        holder: &str,
    ) -> Loaded<()> {
        let (place, holder_place) = (self.place(table, key)?, self.place(table, holder)?);
        let waiting = frame.waiting_at(holder_place);
        let Some(live) = waiting.map(|token| token.live.clone()) else {
            return Err(format!("`{key}` is the state `{holder}`, which does not wait").into());
        };
        if table.state_at(place) != table.state_at(holder_place) {
            return Err(format!("`{key}` and `{holder}` are not one state").into());
        }
        self.note_place(key, place);
        put_at(frame, place, key, live)
    }

    /// The place that a key means.
    pub(super) fn place(&self, table: &Table, key: &str) -> Loaded<Place> {
        if let Some(place) = self.known_place(table, key)? {
            return Ok(place);
        }
        if table.state_key(table.output).as_ref() == key {
            return Err(format!("the state `{key}` ends the flow and cannot wait").into());
        }
        let why = ErrorText::from(format!("the flow has no state `{key}`"));
        Err(why.with_help(load_help::where_gone(key)))
    }

    /// A node whose states are all there.
    pub(super) fn fed_node(&self, frame: &Frame, id: &str) -> Loaded<NodeIx> {
        let node = self.node(&frame.table, id)?;
        if frame.is_fed(node) {
            return Ok(node);
        }
        Err(format!("`{id}` has started, and yet not all of its states are there").into())
    }
}

/// The gate that has asked a question about the state `key`, as the id of the question has it.
fn asked_by<'a>(questions: &'a Map<Key<'_>, StoredQuestion<'_>>, key: &str) -> Option<&'a str> {
    let is_of_gate =
        |question: &StoredQuestion<'_>| question.node == key && question.call.is_none();
    let (id, _) = questions.iter().find(|(_, it)| is_of_gate(it))?;
    id.split(['#', '[']).next()
}

/// Inserts what is stored of a node, unless another node of the snapshot has become the same.
pub(super) fn insert_new<V: Clone>(
    map: &mut SortedMap<NodeIx, V>,
    (node, id): (NodeIx, &str),
    value: V,
) -> Loaded<()> {
    if map.contains(&node) {
        return Err(format!("`{id}` and another node of the snapshot are one node now").into());
    }
    map.insert(node, value);
    Ok(())
}
