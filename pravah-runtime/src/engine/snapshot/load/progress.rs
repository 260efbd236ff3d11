//! What nodes have done towards the ends of their steps. It is taken over where the node is of the same
//! kind and returns the same.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use super::{
    super::{
        super::state::{
            frame::{Frame, List},
            progress::{Question, Timer, WaitReason},
            remote_task::RemoteProgress,
        },
        map::Map,
        stored::{
            DONE, ITEMS, Loaded, StoredAgent, StoredFrame, StoredGate, StoredList, StoredQuestion,
        },
    },
    Loader,
    frame::insert_new,
    latest::{Captured, ItemStart},
};
use crate::{
    error::ErrorText,
    graph::{EachNode, NodeIx, NodeKind, Table},
    lock::node_in_words,
    state::Live,
};

impl Loader<'_> {
    /// Fails unless a node still returns what it returned when it started. The same version may return
    /// something else, as fingerprints cover neither contracts nor the answers of gates, and there `section`
    /// does not note that dropping would help.
    pub(super) fn check_returns(
        &mut self,
        table: &Table,
        (node, id): (NodeIx, &str),
        returns: &str,
    ) -> Loaded<()> {
        let known = &**table.returns(node);
        if returns == known {
            return Ok(());
        }
        self.drop_would_help = true;
        Err(
            format!("`{id}` started when it returned `{returns}`, and now returns `{known}`")
                .into(),
        )
    }

    pub(super) fn agent(
        &mut self,
        frame: &mut Frame,
        id: &str,
        stored: StoredAgent<'_>,
    ) -> Loaded<()> {
        let agent = stored.progress.into_owned();
        let node = self.fed_node(frame, id)?;
        let NodeKind::Agent(known) = &frame.table.node(node).kind else {
            return Err(format!("`{id}` is not an agent").into());
        };
        if let Some(returns) = agent.returns() {
            self.check_returns(&frame.table, (node, id), returns)?;
        }
        if agent.open_tasks().next().is_some() && known.team.is_none() {
            self.drop_would_help = true;
            return Err(
                format!("`{id}` waits for agents that it has called, and may call none").into(),
            );
        }
        if agent.fallback() > known.spec.config.fallback.len() {
            return Err(format!("`{id}` asks a fallback that it does not have").into());
        }
        if !agent.fits_its_conversation() {
            return Err(format!("the calls of `{id}` are not those of its conversation").into());
        }
        let is_gone = |tool: &&str| !known.spec.has_tool(tool);
        if let Some(tool) = agent.tools_that_asked().find(is_gone) {
            self.drop_would_help = true;
            return Err(
                format!("`{id}` waits for its tool `{tool}`, which it does not have").into(),
            );
        }
        if self.revalidates {
            let text = format!("the answer of `{id}` cannot be read");
            let outputs = agent.decided_outputs().into_iter();
            let mut read = outputs.map(|output| known.spec.accepts(output));
            read.try_for_each(|read| read.map_err(|error| ErrorText::new(&text, error)))?;
        }
        insert_new(&mut frame.progress.agents, (node, id), Arc::new(agent))
    }

    pub(super) fn gate(
        &mut self,
        frame: &mut Frame,
        id: &str,
        stored: StoredGate<'_>,
        asked_by: Option<&str>,
    ) -> Loaded<()> {
        let node = self.fed_node(frame, id)?;
        let NodeKind::Gate(gate) = &frame.table.node(node).kind else {
            let before = self.taker_of(id).or(asked_by).unwrap_or(id);
            let (returned, now) = (&stored.returns, node_in_words(&frame.table, node));
            return Err(format!(
                "a run inside `{before}` cannot go on there: it was a gate that returns `{returned}`, and is {now}"
            )
            .into());
        };
        self.check_returns(&frame.table, (node, id), &stored.returns)?;
        let answer = stored.answered.then_some(stored.answer);
        if let Some(answer) = answer.as_ref().filter(|_| self.revalidates) {
            let text = format!("the answer of `{id}` cannot be read");
            gate.accepts(answer, &serde_json::Value::Null)
                .map_err(|error| ErrorText::new(text, error))?;
        }
        insert_new(&mut frame.progress.gates, (node, id), answer)
    }

    pub(super) fn remote(
        &mut self,
        frame: &mut Frame,
        id: &str,
        stored: Cow<'_, RemoteProgress>,
    ) -> Loaded<()> {
        let node = self.fed_node(frame, id)?;
        let NodeKind::Remote(_) = &frame.table.node(node).kind else {
            return Err(format!("`{id}` is not a remote agent").into());
        };
        let remote = Arc::new(stored.into_owned());
        insert_new(&mut frame.progress.remotes, (node, id), remote)
    }

    pub(super) fn list(
        &mut self,
        frame: &mut Frame,
        id: &str,
        stored: StoredList<'_>,
    ) -> Loaded<()> {
        self.check_starts_tasks(&frame.table, id)?;
        let node = self.fed_node(frame, id)?;
        let table = Arc::clone(&frame.table);
        let each = match &table.node(node).kind {
            NodeKind::Each(each) => each,
            NodeKind::Agent(_) | NodeKind::Invoke(_) => {
                return self.tasks(frame, (node, id), stored);
            }
            NodeKind::Detached(_) => return self.detached_tasks(frame, (node, id), stored),
            _ => return Err(format!("`{id}` is not a list").into()),
        };
        let chain = Arc::clone(&each.chain.table);
        self.check_returns(&table, (node, id), &stored.returns)?;
        let (mut list, mut inputs) = match table.is_document() {
            true => {
                let list = opened(frame, node, each, &stored)?;
                // A flow of Rust may ask for the state that it started with.
                let inputs = match chain.is_document() {
                    true => BTreeMap::new(),
                    false => item_inputs(each, &list),
                };
                (list, inputs)
            }
            false => {
                let started = stored.items.iter().map(|(index, _)| *index);
                let (len, inputs) = items(frame, node, id, started.collect())?;
                let list = List {
                    len,
                    ..List::default()
                };
                (list, inputs)
            }
        };
        let on_error = self.on_error_in_progress();
        self.section((DONE, stored.done, on_error), |loader, index, state| {
            let state = loader.live(&chain, chain.output, state)?;
            list.done.insert(index, state.in_cell());
            Ok(())
        })?;
        let latest = Captured::of(frame, node);
        let mut start = |index| ItemStart {
            state: inputs.remove(&index),
            latest: &latest,
        };
        self.items(&chain, &mut list, (id, stored.items), &mut start)?;
        let last = list.done.last().map(|(index, _)| *index);
        let last = last.max(list.items.last().map(|(index, _)| *index));
        if last.is_some_and(|last| last >= list.len) {
            return Err(format!("the items of `{id}` are more than its list has").into());
        }
        list.find_next();
        insert_new(&mut frame.progress.lists, (node, id), Arc::new(list))?;
        frame.grow(node);
        Ok(())
    }

    /// The items of a list, or the tasks of an agent, that go on.
    pub(super) fn items<'a>(
        &mut self,
        chain: &Arc<Table>,
        list: &mut List,
        (id, stored): (&str, Map<usize, StoredFrame<'_>>),
        start: &mut dyn FnMut(usize) -> ItemStart<'a>,
    ) -> Loaded<()> {
        let on_error = self.on_error_in_progress();
        let around = self.lists.len();
        self.lists.push_str(&format!("{id}/"));
        let items = self.section((ITEMS, stored, on_error), |loader, index, item| {
            let stored = (item, start(index));
            let item = loader.item(chain, list, (index, id), stored)?;
            if !item.ready.is_empty() {
                list.movable.insert(index, ());
            }
            list.items.insert(index, item.into());
            Ok(())
        });
        self.lists.truncate(around);
        items
    }

    /// The item of this index in the list `id`, with what it starts with.
    fn item(
        &mut self,
        chain: &Arc<Table>,
        list: &List,
        (index, id): (usize, &str),
        (stored, start): (StoredFrame<'_>, ItemStart<'_>),
    ) -> Loaded<Frame> {
        let item = self.frame(chain, stored, Some(start));
        let item =
            item.map_err(|why| why.followed_by(format_args!(" (item {index} of `{id}`)")))?;
        if item.tokens.is_empty() {
            let why = "is not done, and yet no state waits";
            return Err(format!("item {index} of `{id}` {why}").into());
        }
        if list.done.contains(&index) {
            let why = "is done, and yet states wait";
            return Err(format!("item {index} of `{id}` {why}").into());
        }
        Ok(item)
    }

    pub(super) fn question(
        &self,
        frame: &Frame,
        id: &str,
        stored: StoredQuestion<'_>,
    ) -> Loaded<Question> {
        let node = self.node(&frame.table, &stored.node)?;
        let call = stored.call.map(Cow::into_owned);
        let agent = frame.progress.agents.get(&node);
        let waits = match (&call, agent) {
            (None, None) => matches!(frame.progress.gates.get(&node), Some(None)),
            (None, Some(agent)) => agent.is_in_review(),
            (Some(call), Some(agent)) => agent.waits_for(call),
            (Some(_), None) => frame.progress.remotes.contains(&node),
        };
        if !waits {
            return Err(format!("nothing waits for the question `{id}`").into());
        }
        let may_name_an_event = call.is_none() && stored.value.may_have("event");
        let value = may_name_an_event.then(|| stored.value.value());
        Ok(Question {
            number: stored.number,
            node,
            call,
            event: value.as_ref().and_then(Question::event_in),
            value: stored.value,
        })
    }

    pub(super) fn timer(&self, frame: &mut Frame, id: &str, timer: Timer) -> Loaded<()> {
        let node = self.fed_node(frame, id)?;
        let waits = match timer.why {
            WaitReason::Model => {
                let agent = frame.progress.agents.get(&node);
                agent.is_some_and(|agent| agent.is_models_turn())
            }
            WaitReason::Message => {
                let agent = frame.progress.agents.get(&node);
                agent.is_some_and(|agent| agent.answer_to_message().is_some())
            }
            WaitReason::Task => {
                let agent = frame.progress.agents.get(&node);
                agent.is_some_and(|agent| agent.waits_for_detached())
            }
            WaitReason::Retry => {
                let is_list = matches!(frame.table.node(node).kind, NodeKind::Each(_));
                !is_list && !frame.progress.lists.contains(&node)
            }
            WaitReason::Question if frame.progress.remotes.contains(&node) => true,
            WaitReason::Question | WaitReason::Time => {
                matches!(frame.progress.gates.get(&node), Some(None))
            }
            WaitReason::Runner => frame.progress.remotes.contains(&node),
            WaitReason::Paused => false,
        };
        if !waits {
            return Err(format!("`{id}` does not wait for a time").into());
        }
        insert_new(&mut frame.progress.timers, (node, id), timer)
    }
}

/// A list that says by itself what its items are, and whether it goes on after the last of them.
fn opened(frame: &Frame, node: NodeIx, each: &EachNode, stored: &StoredList<'_>) -> Loaded<List> {
    let source = frame.open_list(node, each);
    let source = source.map_err(|error| ErrorText::new("its items are not known", error))?;
    let started = stored.items.iter().map(|(index, _)| *index);
    let started = started.chain(stored.done.iter().map(|(index, _)| *index));
    let known = started.max().map_or(0, |last| last.saturating_add(1));
    let len = match each.body.has_rounds() {
        true => known,
        false => source.len(),
    };
    Ok(List {
        len,
        source: Some(source),
        most_open: each.most_open,
        ..List::default()
    })
}

/// What the items of a list start with.
fn item_inputs(each: &EachNode, list: &List) -> BTreeMap<usize, Live> {
    let source = list.source.as_deref().unwrap_or_default();
    let input = |index| Some((index, each.body.item(source, index, &String::new)?));
    (0..list.len).filter_map(input).collect()
}

/// How many items wait in the list at `node`, and those of them that have started.
fn items(
    frame: &Frame,
    node: NodeIx,
    id: &str,
    started: Vec<usize>,
) -> Loaded<(usize, BTreeMap<usize, Live>)> {
    let slot = frame.table.node(node).slots.first();
    let token = slot.and_then(|slot| frame.tokens.get(slot));
    let items = token.and_then(|token| token.live.raw_items(started));
    let items = items.ok_or_else(|| format!("no list waits for `{id}`"))?;
    items.map_err(|error| ErrorText::new(format!("what waits for `{id}` is not a list"), error))
}
