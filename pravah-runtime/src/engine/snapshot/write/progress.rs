//! What the nodes of a frame have done, and what they wait for besides their states.

use std::{borrow::Cow, sync::Arc};

use super::{
    super::{
        super::state::{
            frame::{Frame, List, Progress},
            progress::{GateAnswer, Question},
        },
        map::Map,
        stored::{
            DONE, ITEMS, Key, MESSAGES, StoredAgent, StoredGate, StoredList, StoredProgress,
            StoredQuestion, StoredState, sections,
        },
    },
    node_key,
    writer::{Section, Writer},
};
use crate::{
    agent::AgentProgress,
    graph::{NodeIx, ScopeIx, Table},
    sorted_map::SortedMap,
};

impl Writer {
    /// What nodes have done, and what they wait for, beside the states that another place has; just those where
    /// neither frame has anything of that.
    pub(super) fn progress<'a>(
        &mut self,
        frame: &'a Frame,
        before: Option<&'a Frame>,
        shared: Option<Box<StoredProgress<'a>>>,
    ) -> Option<Box<StoredProgress<'a>>> {
        let is_unchanged = |frame: &Frame| frame.progress.is_unchanged();
        if is_unchanged(frame) && before.is_none_or(is_unchanged) {
            return shared;
        }
        let shared = shared.unwrap_or_default();
        let table = &*frame.table;
        let unknown_inputs = self.unknown_inputs(frame, before);
        let (now, before) = (&*frame.progress, before.map(|it| &*it.progress));
        Some(Box::new(StoredProgress {
            shared_states: shared.shared_states,
            latest: shared.latest,
            shared_latest: shared.shared_latest,
            captured: shared.captured,
            latest_states: shared.latest_states,
            latest_inputs: shared.latest_inputs,
            unknown_inputs,
            agents: self.section(
                (sections::agents, &now.agents, before.map(|it| &it.agents)),
                |node, _| Some(node_key(table, *node)),
                |writer, _, agent, before| writer.agent(agent, before.map(|it| &**it)),
            ),
            gates: self.gates(table, &now.gates, before.map(|it| &it.gates)),
            remotes: self.by_node(
                table,
                (
                    sections::remotes,
                    &now.remotes,
                    before.map(|it| &it.remotes),
                ),
                |remote| Cow::Borrowed(&**remote),
            ),
            lists: self.lists(table, &now.lists, before.map(|it| &it.lists)),
            questions: self.questions(table, &now.questions, before.map(|it| &it.questions)),
            timers: self.by_node(
                table,
                (sections::timers, &now.timers, before.map(|it| &it.timers)),
                |timer| *timer,
            ),
            visits: self.visits(table, now, before),
            attempts: self.by_node(
                table,
                (
                    sections::attempts,
                    &now.attempts,
                    before.map(|it| &it.attempts),
                ),
                |attempts| *attempts,
            ),
            failed: self.by_node(
                table,
                (sections::failed, &now.failed, before.map(|it| &it.failed)),
                |failed| Cow::Borrowed(&**failed),
            ),
        }))
    }

    fn unknown_inputs<'a>(
        &mut self,
        frame: &'a Frame,
        before: Option<&'a Frame>,
    ) -> Map<Key<'a>, bool> {
        let table = &*frame.table;
        let of = |frame: &'a Frame| {
            let scopes = frame.progress.unknown_inputs.keys().copied();
            scopes.filter(move |scope| frame.lacks_input(*scope))
        };
        for scope in before.into_iter().flat_map(of) {
            if !frame.lacks_input(scope) {
                self.delete(sections::unknown_inputs, &table.scope(scope).key);
            }
        }
        let is_new = |scope: &ScopeIx| before.is_none_or(|before| !before.lacks_input(*scope));
        let new = of(frame).filter(is_new);
        new.map(|scope| (Cow::Borrowed(&*table.scope(scope).key), true))
            .collect()
    }

    fn visits<'a>(
        &mut self,
        table: &'a Table,
        now: &'a Progress,
        before: Option<&'a Progress>,
    ) -> Map<Key<'a>, u32> {
        let visits = (sections::visits, &now.visits, before.map(|it| &it.visits));
        let mut visits = self.by_node(table, visits, |visits| *visits);
        if now.gone_visits.is_empty() {
            return visits;
        }
        let before = before.map(|it| &it.gone_visits);
        let gone = self.section(
            (sections::visits, &now.gone_visits, before),
            |key, _| Some(Key::Borrowed(&**key)),
            |_, _, visits, _| *visits,
        );
        for (key, count) in gone {
            visits.push(key, count);
        }
        visits.sort();
        visits
    }

    fn gates<'a>(
        &mut self,
        table: &'a Table,
        gates: &'a SortedMap<NodeIx, GateAnswer>,
        before: Option<&'a SortedMap<NodeIx, GateAnswer>>,
    ) -> Map<Key<'a>, StoredGate<'a>> {
        self.section(
            (sections::gates, gates, before),
            |node, _| Some(node_key(table, *node)),
            |_, node, answer, _| StoredGate {
                returns: Cow::Borrowed(table.returns(*node)),
                answered: answer.is_some(),
                answer: answer.clone().unwrap_or_default(),
            },
        )
    }

    fn lists<'a>(
        &mut self,
        table: &'a Table,
        lists: &'a SortedMap<NodeIx, Arc<List>>,
        before: Option<&'a SortedMap<NodeIx, Arc<List>>>,
    ) -> Map<Key<'a>, StoredList<'a>> {
        self.section(
            (sections::lists, lists, before),
            |node, list| list.is_started().then(|| node_key(table, *node)),
            |writer, node, list, before| writer.list((table, *node), list, before.map(|it| &**it)),
        )
    }

    fn questions<'a>(
        &mut self,
        table: &'a Table,
        questions: &'a SortedMap<Arc<str>, Question>,
        before: Option<&'a SortedMap<Arc<str>, Question>>,
    ) -> Map<Key<'a>, StoredQuestion<'a>> {
        self.section(
            (sections::questions, questions, before),
            |id, _| Some(Cow::Borrowed(&**id)),
            |_, _, question, _| StoredQuestion {
                number: question.number,
                node: node_key(table, question.node),
                call: question.call.as_deref().map(Cow::Borrowed),
                value: question.value.clone(),
            },
        )
    }

    /// The entries of a map that are written as they are, by the keys of their nodes.
    fn by_node<'a, V: Clone + PartialEq, T>(
        &mut self,
        table: &'a Table,
        section: Section<'a, NodeIx, V>,
        value: impl Fn(&'a V) -> T,
    ) -> Map<Key<'a>, T> {
        self.section(
            section,
            |node, _| Some(node_key(table, *node)),
            |_, _, now, _| value(now),
        )
    }

    /// Messages are added to a conversation and never changed; it may be another one, in the same place.
    fn agent<'a>(
        &mut self,
        agent: &'a AgentProgress,
        before: Option<&AgentProgress>,
    ) -> StoredAgent<'a> {
        let messages = agent.messages();
        let mut known_messages = 0;
        if let Some(before) = before.map(AgentProgress::messages) {
            known_messages = messages.count_known(before);
            for index in messages.len()..before.len() {
                self.delete(MESSAGES, &index);
            }
        }
        StoredAgent {
            progress: Cow::Borrowed(agent),
            known_messages,
        }
    }

    fn list<'a>(
        &mut self,
        (table, node): (&'a Table, NodeIx),
        list: &'a List,
        before: Option<&'a List>,
    ) -> StoredList<'a> {
        let around = Some((table, node));
        let is_invoke = table.node(node).kind.is_invoke();
        let tasks = |list: &List| is_invoke.then_some(list.len);
        StoredList {
            returns: Cow::Borrowed(table.returns(node)),
            tasks: tasks(list),
            is_already_put: before.is_some_and(|before| tasks(before) == tasks(list)),
            items: self.section(
                (ITEMS, &list.items, before.map(|it| &it.items)),
                |index, frame| frame.is_started.then_some(*index),
                |writer, _, frame, before| writer.frame(frame, before.map(|it| &**it), around),
            ),
            done: self.section(
                (DONE, &list.done, before.map(|it| &it.done)),
                |index, _| Some(*index),
                |_, _, live, _| StoredState::Live(live),
            ),
        }
    }
}
