//! The tasks of those that have called agents and flows.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    super::{
        super::state::frame::{Frame, List},
        map::Map,
        stored::{DONE, Loaded, StoredFrame, StoredList, sections},
    },
    Loader,
    frame::insert_new,
    latest::ItemStart,
};
use crate::{
    agent::TaskEnd,
    error::ErrorText,
    graph::{NodeIx, NodeKind, Table},
};

impl Loader<'_> {
    /// The tasks of the caller at `node`.
    pub(super) fn tasks(
        &mut self,
        frame: &mut Frame,
        (node, id): (NodeIx, &str),
        stored: StoredList<'_>,
    ) -> Loaded<()> {
        let table = Arc::clone(&frame.table);
        let team = table.inner(node);
        let team = team.ok_or_else(|| format!("`{id}` calls no agents"))?;
        self.check_returns(&table, (node, id), &stored.returns)?;
        let is_invoke = table.node(node).kind.is_invoke();
        if stored.tasks.is_some() != is_invoke {
            self.drop_would_help = true;
            return Err(format!("`{id}` has tasks of a node of another kind").into());
        }
        let mut list = List {
            len: stored.tasks.unwrap_or_default(),
            ..List::default()
        };
        let on_error = self.on_error_in_progress();
        self.section((DONE, stored.done, on_error), |_, index, state| {
            let end = state.into_live();
            let text = || format!("how task {index} of `{id}` ended cannot be read");
            let read = end.get::<TaskEnd>();
            let read = read.map_err(|error| ErrorText::new(text(), error))?;
            if !read.status.has_ended() {
                return Err(format!("task {index} of `{id}` has not ended, and is done").into());
            }
            if let NodeKind::Invoke(invoke) = &table.node(node).kind
                && !read.has_failed()
            {
                let text = || format!("what task {index} of `{id}` returned cannot be read");
                let accepted = invoke.results.accepts(&read.content);
                accepted.map_err(|error| ErrorText::new(text(), error))?;
            }
            list.done.insert(index, end.in_cell());
            Ok(())
        })?;
        self.frames_of_tasks(team, &mut list, (id, stored.items))?;
        if list.items.is_empty() && list.done.is_empty() && !is_invoke {
            return Ok(());
        }
        insert_new(&mut frame.progress.lists, (node, id), Arc::new(list))
    }

    /// The tasks that go on: unlike the items of a list they start with nothing of what is around them.
    pub(super) fn frames_of_tasks(
        &mut self,
        team: &Arc<Table>,
        list: &mut List,
        stored: (&str, Map<usize, StoredFrame<'_>>),
    ) -> Loaded<()> {
        let mut start = |_| ItemStart {
            state: None,
            latest: &[],
        };
        self.items(team, list, stored, &mut start)
    }

    /// Fails unless each caller has just the tasks that it waits for. Where that may be dropped, one that lacks any
    /// starts over.
    pub(super) fn check_tasks(&mut self, frame: &mut Frame) -> Loaded<()> {
        let table = Arc::clone(&frame.table);
        let agents = frame.progress.agents.keys().copied();
        let with_tasks = frame.progress.lists.keys().copied();
        let is_waited_for = |node: &NodeIx| !table.node(*node).kind.is_detached();
        let with_tasks = with_tasks.filter(|node| frame.has_tasks(*node) && is_waited_for(node));
        let nodes: BTreeSet<NodeIx> = agents.chain(with_tasks).collect();
        for node in nodes {
            let (checked, section) = match &table.node(node).kind {
                NodeKind::Invoke(_) => (check_numbers(frame, node), sections::lists),
                _ => (check_tasks_of(frame, node), sections::agents),
            };
            let Err(why) = checked else {
                continue;
            };
            if !self.drop_progress {
                self.drop_would_help = true;
                return Err(why);
            }
            frame.progress.agents.remove(&node);
            frame.progress.lists.remove(&node);
            self.drop_entry(section, &table.node(node).key, why);
        }
        Ok(())
    }
}

/// Fails unless all tasks are there that a node has started, which are numbered from 0.
fn check_numbers(frame: &Frame, node: NodeIx) -> Loaded<()> {
    let Some(list) = frame.progress.lists.get(&node) else {
        return Ok(());
    };
    let (id, started) = (frame.table.node_id(node), list.len);
    let mut there = list.items.keys().chain(list.done.keys());
    if let Some(task) = there.find(|task| **task >= started) {
        return Err(format!(
            "task {task} of `{id}` is more than the {started} that it has started"
        )
        .into());
    }
    let is_there = |task| list.items.contains(&task) || list.done.contains(&task);
    if started > 0 && list.items.len() + list.done.len() == started {
        return Ok(());
    }
    let missing = (0..started)
        .find(|task| !is_there(*task))
        .unwrap_or_default();
    Err(format!("task {missing} of `{id}` is not there, and `{id}` waits for it").into())
}

fn check_tasks_of(frame: &Frame, node: NodeIx) -> Loaded<()> {
    let id = frame.table.node_id(node);
    let agent = frame.progress.agents.get(&node);
    let list = frame.progress.lists.get(&node);
    let mut waits_for = BTreeSet::new();
    for (task, called) in agent
        .into_iter()
        .flat_map(|agent| agent.open_tasks_with_names())
    {
        if !waits_for.insert(task) {
            return Err(format!("`{id}` waits twice for its task {task}").into());
        }
        let item = list.and_then(|list| list.items.get(&task));
        if item.is_some_and(|item| !frame.is_task_of(node, item, called)) {
            return Err(format!("task {task} of `{id}` is not one of `{called}`").into());
        }
    }
    let there: BTreeSet<usize> = list
        .into_iter()
        .flat_map(|list| list.items.keys().chain(list.done.keys()).copied())
        .collect();
    if let Some(task) = waits_for.symmetric_difference(&there).next() {
        let why = match there.contains(task) {
            true => "goes on, and no call waits for it",
            false => "is not there, and a call waits for it",
        };
        return Err(format!("task {task} of `{id}` {why}").into());
    }
    match agent.and_then(|agent| agent.task_out_of_count()) {
        Some(task) => Err(format!("task {task} of `{id}` is more than it has started").into()),
        None => Ok(()),
    }
}
