//! Detached tasks: those that run, in their frames, and what is known of all of them.

use std::{borrow::Cow, sync::Arc};

use super::{
    super::{
        super::state::{
            RunState,
            detached_task::{ChildCount, Detached, DetachedTask},
            frame::{Frame, List},
            path::{ItemId, NodePath},
            rare::Rare,
        },
        map::Map,
        stored::{Key, Loaded, StoredList, sections},
    },
    Loader,
    frame::insert_new,
};
use crate::graph::{NodeIx, Table};

/// The caller in the key of a node for detached tasks: `Plan` of `(Plan)`.
fn caller_of_tasks(id: &str) -> Option<&str> {
    id.strip_prefix('(')?.strip_suffix(')')
}

/// The key of an owner of tasks: its function may have another name now, also where the flow has the same fingerprint.
fn owner_now(table: &Table, owner: &str) -> Arc<str> {
    let now = || {
        let (function, rest) = owner.split_once('(')?;
        let (state, visit) = rest.split_once(')')?;
        let step = owner.strip_suffix(visit)?;
        let place = table.place_of(state, Some(function)).ok()??;
        let step_now = table.step_name(table.slot(place.slot).node);
        // Before all others are looked at: in most loads it is the same.
        let is_same = step_now == step || {
            let mut nodes = (0..).map(NodeIx).take(table.nodes.len());
            nodes.any(|node| table.step_name(node) == step)
        };
        (!is_same).then(|| format!("{step_now}{visit}"))
    };
    now().map_or_else(|| owner.into(), Into::into)
}

impl Loader<'_> {
    /// Fails where a caller goes on with detached tasks, and may start none any more.
    pub(super) fn check_starts_tasks(&mut self, table: &Table, id: &str) -> Loaded<()> {
        let Some(caller) = caller_of_tasks(id).filter(|_| self.lists.is_empty()) else {
            return Ok(());
        };
        if table.node_by_key.contains_key(id) || self.node_of_tasks(table, id)?.is_some() {
            return Ok(());
        }
        self.drop_would_help = true;
        let why = "goes on with detached tasks, and may start none in this version";
        Err(format!("`{caller}` {why}").into())
    }

    /// The node for the detached tasks of a caller that has another key in this version: another node takes the same state.
    pub(super) fn node_of_tasks(&self, table: &Table, id: &str) -> Loaded<Option<NodeIx>> {
        // In a list there is more than one key.
        let Some(caller) = caller_of_tasks(id).filter(|caller| !caller.contains('/')) else {
            return Ok(None);
        };
        let place = self.known_place(table, caller)?;
        let key = place.map(|place| &table.node(table.slot(place.slot).node).key);
        Ok(key.and_then(|key| table.node_by_key.get(&*format!("({key})")).copied()))
    }

    /// The tasks that go on at `node`.
    pub(super) fn detached_tasks(
        &mut self,
        frame: &mut Frame,
        (node, id): (NodeIx, &str),
        stored: StoredList<'_>,
    ) -> Loaded<()> {
        let table = Arc::clone(&frame.table);
        let team = table.inner(node);
        let team = team.ok_or_else(|| format!("`{id}` starts no detached tasks"))?;
        if !self.lists.is_empty() || !stored.done.is_empty() || stored.tasks.is_some() {
            return Err(format!(
                "`{id}` has detached tasks inside a list, and they belong to the run"
            )
            .into());
        }
        let mut list = List::default();
        self.frames_of_tasks(team, &mut list, (id, stored.items))?;
        match list.items.is_empty() {
            true => Ok(()),
            false => insert_new(&mut frame.progress.lists, (node, id), Arc::new(list)),
        }
    }

    /// Takes over the record of each detached task, and how many agents their owners have called.
    pub(super) fn detached_records(
        &mut self,
        state: &mut RunState,
        tasks: Map<usize, Cow<'_, DetachedTask>>,
        child_counts: Map<Key<'_>, ChildCount>,
    ) -> Loaded<()> {
        let (root, detached) = (&state.root, &mut state.detached);
        for (owner, count) in child_counts {
            let owner = owner_now(&root.table, &owner);
            detached.child_counts.insert(owner, count);
        }
        let on_error = self.on_error_in_progress();
        self.section((sections::tasks, tasks, on_error), |_, number, task| {
            let place = place_of(root, number);
            check_task(number, &task, place.is_some())?;
            let mut task = task.into_owned();
            for owner in &mut task.owners {
                *owner = owner_now(&root.table, owner);
            }
            detached.tasks.insert(number, Arc::new(task));
            if let Some(item) = place {
                detached.add_open(item);
            }
            Ok(())
        })
    }

    /// Refuses or drops each task that goes on without a record, and notes who waits for the others.
    pub(super) fn match_detached(&mut self, state: &mut RunState) -> Loaded<()> {
        let (root, detached) = (&mut state.root, &mut state.detached);
        if root.progress.is_unchanged() {
            // Tasks go on, and are waited for, in agents and in items alone.
            return Ok(());
        }
        for item in unknown_tasks(root, detached) {
            let why = format!("nothing is known of the detached task {}", item.index);
            self.refuse_unless_dropped(sections::tasks, item.index, why)?;
            root.remove_detached(item);
        }
        self.index_waiting(root, detached)
    }

    /// Notes which agents wait for which tasks. What is not there, where that may be, answers them.
    fn index_waiting(&mut self, root: &mut Frame, detached: &mut Rare<Detached>) -> Loaded<()> {
        let mut waiting = Vec::new();
        root.walk(|at, frame| {
            for (node, agent) in frame.progress.agents.iter() {
                let waits = agent.detached_waits();
                let waits = waits.map(|(call, task, _)| (NodePath::new(at, *node), call, task));
                waiting.extend(waits);
            }
        });
        self.index_awaiting(root, detached);
        for (path, call, task) in waiting {
            if detached.place(task).is_some() {
                detached.add_waiting(task, &path);
                continue;
            }
            let Some(frame) = root.at_mut(&path.frame) else {
                continue;
            };
            let id = frame.table.node_id(path.node);
            let why = format!("`{id}` waits for the detached task {task}, which does not run");
            self.refuse_unless_dropped(sections::tasks, task, why)?;
            frame.answer_lost_task(path.node, call);
            root.update_queues(&path);
        }
        Ok(())
    }

    /// Notes which nodes wait for which tasks. Those whose tasks do not run go on, and find out why.
    fn index_awaiting(&self, root: &mut Frame, detached: &mut Rare<Detached>) {
        let mut waiting = Vec::new();
        root.walk(|at, frame| {
            for (place, _) in frame.waiting() {
                let node = frame.table.slot(place.slot).node;
                // Such a node takes one state, and comes up once.
                if frame.table.node(node).kind.is_await_task() && !frame.is_ready(node) {
                    waiting.push(NodePath::new(at, node));
                }
            }
        });
        for path in waiting {
            let Some(frame) = root.at_mut(&path.frame) else {
                continue;
            };
            match frame.awaited_task(path.node) {
                Some(task) if detached.place(task).is_some() => detached.add_waiting(task, &path),
                _ => {
                    frame.set_ready(path.node, self.next_step);
                    root.update_queues(&path);
                }
            }
        }
    }

    fn refuse_unless_dropped(&mut self, section: &str, task: usize, why: String) -> Loaded<()> {
        if !self.drop_progress {
            self.drop_would_help = true;
            return Err(why.into());
        }
        self.drop_entry(section, &task, why.into());
        Ok(())
    }
}

/// Fails unless what is known of a task fits whether it goes on.
fn check_task(number: usize, task: &DetachedTask, goes_on: bool) -> Loaded<()> {
    let why = if number == 0 {
        "has a number that is not from 1 on"
    } else if task.parent.is_some_and(|parent| parent >= number) {
        "has a `parent` that has started after it"
    } else if task.end.is_some() != task.ended_at.is_some() {
        "has only one of `end` and `ended_at`"
    } else if task.end.as_ref().is_some_and(|end| !end.status.has_ended()) {
        "has ended, and its status says that it has not"
    } else if task.end.is_some() && goes_on {
        "has ended, and yet states wait in it"
    } else if task.end.is_none() && !goes_on {
        "has not ended, and no state waits in it"
    } else {
        return Ok(());
    };
    Err(format!("the detached task {number} {why}").into())
}

/// Where the task of this number goes on.
fn place_of(root: &Frame, index: usize) -> Option<ItemId> {
    let mut lists = root.detached_nodes();
    let list = lists.find(|node| {
        let list = root.progress.lists.get(node);
        list.is_some_and(|list| list.items.contains(&index))
    })?;
    Some(ItemId { list, index })
}

/// Those that go on and of which nothing is known.
fn unknown_tasks(root: &Frame, detached: &Detached) -> Vec<ItemId> {
    let items = root.detached_nodes().flat_map(|list| {
        let tasks = root.progress.lists.get(&list).into_iter();
        let indices = tasks.flat_map(|tasks| tasks.items.keys().copied());
        indices.map(move |index| ItemId { list, index })
    });
    items
        .filter(|item| detached.place(item.index) != Some(*item))
        .collect()
}
