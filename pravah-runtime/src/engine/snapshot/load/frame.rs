//! A net being run, with what waits in it.

use std::{mem::take, sync::Arc};

use super::{
    super::{
        super::state::{frame::Frame, progress::WaitReason, rare::Rare},
        finish,
        map::Map,
        stored::{Key, Loaded, StoredFrame, StoredProgress, StoredQuestion, sections},
    },
    Loader, OnError,
    latest::{Captured, ItemStart},
    put::put_at,
};
use crate::{
    engine::load_help,
    error::ErrorText,
    graph::{NodeIx, Place, Table},
    sorted_map::SortedMap,
    state::Live,
};

impl Loader<'_> {
    /// Loads a net with what waits in it. An item of a list starts with `item`.
    pub(super) fn frame(
        &mut self,
        table: &Arc<Table>,
        stored: StoredFrame<'_>,
        item: Option<ItemStart<'_>>,
    ) -> Loaded<Frame> {
        let mut frame = Frame::new(Arc::clone(table));
        frame.is_started = true;
        // Those of the frame before.
        self.notes = Rare::default();
        self.section(
            (sections::states, stored.states, OnError::Refuse),
            |loader, key, state| loader.put_state(table, &mut frame, &key, state.into_live()),
        )?;
        let mut progress = stored.progress;
        let (item, captured) = item.map_or((None, &[][..]), |it| (it.state, it.latest));
        if let Some(progress) = &mut progress {
            self.references(&mut frame, progress, captured)?;
        }
        finish::check_can_finish(&frame)?;
        let inputs = (stored.inputs, stored.shared_inputs);
        self.inputs(table, &mut frame, inputs, item)?;
        self.check_latest(&mut frame)?;
        let passed = self.is_other.then(|| self.passed(&frame));
        if let Some(progress) = progress {
            self.progress(&mut frame, *progress)?;
        }
        if let Some(passed) = passed {
            passed.count(&mut frame);
        }
        self.ready(&mut frame, stored.ready)?;
        Ok(frame)
    }

    /// Takes over the last states that were made, and the states and inputs that are stored by references to others.
    fn references(
        &mut self,
        frame: &mut Frame,
        stored: &mut StoredProgress<'_>,
        captured: &[Captured],
    ) -> Loaded<()> {
        let table = Arc::clone(&frame.table);
        let latest = self.latest(frame, stored, captured)?;
        let shared = (
            sections::shared_states,
            take(&mut stored.shared_states),
            OnError::Refuse,
        );
        self.section(shared, |loader, key, holder| {
            loader.share_state(&table, frame, &key, &holder)
        })?;
        for (key, _) in take(&mut stored.unknown_inputs) {
            self.notes.unknown_inputs.insert(key.into_owned());
        }
        self.latest_inputs(frame, take(&mut stored.latest_inputs), &latest)
    }

    fn progress(&mut self, frame: &mut Frame, stored: StoredProgress<'_>) -> Loaded<()> {
        let table = Arc::clone(&frame.table);
        let started = self.started_nodes(&table, &stored);
        self.section(
            (sections::visits, stored.visits, OnError::Drop),
            |loader, id, visits| {
                // A node may have been on a loop in another version: its next step is another one all the same.
                let nodes = loader.visited_nodes(&table, &id);
                if loader.is_gone(&table, &id, &nodes) {
                    frame.progress.gone_visits.insert(Arc::from(&*id), visits);
                }
                for node in nodes {
                    let known = frame.progress.visits.get(&node).copied();
                    // Of two nodes that are one now the larger number has no keys of either behind it.
                    let visits = visits.max(known.unwrap_or_default());
                    frame.progress.visits.insert(node, visits);
                }
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
            |loader, id, timer| match loader.timer(frame, &id, timer) {
                // Without its timer a retry starts at once: nothing is lost.
                Err(why) if loader.revalidates && timer.why == WaitReason::Retry => {
                    loader.drop_current(why);
                    Ok(())
                }
                done => done,
            },
        )?;
        self.section(
            (sections::attempts, stored.attempts, OnError::Drop),
            |loader, id, it| {
                let node = loader.fed_node(frame, &id)?;
                if started.contains(&node) && !frame.progress.has_started(node) {
                    return Err(format!("`{id}` starts over").into());
                }
                insert_new(&mut frame.progress.attempts, (node, &id), it)
            },
        )?;
        self.section(
            (sections::failed, stored.failed, OnError::Drop),
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
    pub(super) fn put_state(
        &mut self,
        table: &Table,
        frame: &mut Frame,
        key: &str,
        live: Live,
    ) -> Loaded<()> {
        let Some(place) = self.place_unless_moved(table, key)? else {
            return self.move_state(table, frame, key, live);
        };
        self.note_place(key, place);
        self.put_as_state(table, frame, (place, key), live)
    }

    /// Puts a state at a place, in the form that waits there.
    fn put_as_state(
        &mut self,
        table: &Table,
        frame: &mut Frame,
        (place, key): (Place, &str),
        live: Live,
    ) -> Loaded<()> {
        let live = match table.state_at(place) {
            Some(state) => self.as_state(table, state, live)?,
            None => live,
        };
        put_at(frame, place, key, live)
    }

    /// Puts a state that has no place of its name where a migration moves it.
    fn move_state(
        &mut self,
        table: &Table,
        frame: &mut Frame,
        key: &str,
        live: Live,
    ) -> Loaded<()> {
        let Some(moving) = self.migrations.moving(key, &live).cloned() else {
            return Err(self.not_moved(table, key, no_place(table, key)));
        };
        self.migrated.push(self.at.clone());
        let moved = self.migrations.move_state(&moving, &live)?;
        let place = moving.place();
        let to = self.place(table, &place).map_err(|why| {
            let text = format!("`{key}` cannot be moved by {}", moving.name());
            ErrorText::new(text, why)
        })?;
        self.note_place(key, to);
        self.notes.moved.insert(key.to_owned(), live);
        self.put_as_state(table, frame, (to, &place), moved)
    }

    /// Why a state is refused, with the reasons why migrations that look as if they were for it do not move it.
    pub(super) fn not_moved(&self, table: &Table, key: &str, why: ErrorText) -> ErrorText {
        let reasons = self.migrations.why_not_moved(key, table).into_iter();
        reasons.fold(why, |why, reason| {
            why.followed_by(format_args!("; {reason}"))
        })
    }

    /// Puts the state that waits at another place where it waits too.
    fn share_state(
        &mut self,
        table: &Table,
        frame: &mut Frame,
        key: &str,
        holder: &str,
    ) -> Loaded<()> {
        if let Some(live) = self.notes.moved.get(holder).cloned() {
            return self.put_state(table, frame, key, live);
        }
        let holder_place = self.place(table, holder)?;
        let waiting = frame.waiting_at(holder_place);
        let Some(live) = waiting.map(|token| token.live.clone()) else {
            return Err(format!("`{key}` is the state `{holder}`, which does not wait").into());
        };
        let Some(place) = self.place_unless_moved(table, key)? else {
            return self.move_state(table, frame, key, live);
        };
        if table.state_at(place) != table.state_at(holder_place) {
            return Err(format!("`{key}` and `{holder}` are not one state").into());
        }
        self.note_place(key, place);
        put_at(frame, place, key, live)
    }

    /// The place that a key means; none where a migration has to say it, also of several.
    fn place_unless_moved(&self, table: &Table, key: &str) -> Loaded<Option<Place>> {
        match self.known_place(table, key) {
            Err(_) if self.migrations.moves_of(key).next().is_some() => Ok(None),
            found => found,
        }
    }

    /// The place that a key means.
    pub(super) fn place(&self, table: &Table, key: &str) -> Loaded<Place> {
        if let Some(place) = self.known_place(table, key)? {
            return Ok(place);
        }
        Err(no_place(table, key))
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

fn no_place(table: &Table, key: &str) -> ErrorText {
    if table.state_key(table.output).as_ref() == key {
        return format!("the state `{key}` ends the flow and cannot wait").into();
    }
    let why = ErrorText::from(format!("the flow has no state `{key}`"));
    why.with_help(load_help::where_gone(key))
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
