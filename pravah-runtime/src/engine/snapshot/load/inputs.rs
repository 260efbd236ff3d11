//! The inputs of flows.

use std::sync::Arc;

use super::{
    super::{
        super::state::frame::Frame,
        collect::enter,
        map::Map,
        stored::{Key, Loaded, References, StoredState, sections},
    },
    Loader, OnError,
};
use crate::{
    graph::{ScopeIx, SlotIx, Table},
    state::Live,
};

/// The inputs of flows, and which flows have that of another.
type StoredInputs<'a> = (Map<Key<'a>, StoredState<'a>>, References<'a>);

impl Loader {
    /// Takes over the inputs of flows. Those that still wait are not stored twice, nor is an item, which is in its list. One
    /// that a `catch` hands on, or that a node may ask for, has to be there.
    pub(super) fn inputs(
        &mut self,
        table: &Table,
        frame: &mut Frame,
        (stored, shared): StoredInputs<'_>,
        mut item: Option<Live>,
    ) -> Loaded<()> {
        let mut dropped: Vec<(Key<'_>, Live)> = Vec::new();
        for (key, state) in stored {
            match self.flow_of_input(frame, &key) {
                Ok(scope) => self.put_input(frame, scope, &key, state.into_live())?,
                Err(why) if self.revalidates => {
                    self.drop_entry(sections::inputs, &key, why);
                    dropped.push((key, state.into_live()));
                }
                Err(why) => return Err(why),
            }
        }
        let mut sharing = Vec::new();
        self.section(
            (sections::shared_inputs, shared, OnError::Drop),
            |loader, key, around| {
                // The flow around it may start with something else now.
                if let Some((_, live)) = dropped.iter().find(|(key, _)| **key == *around) {
                    let scope = loader.flow_of_input(frame, &key)?;
                    return loader.put_input(frame, scope, &key, live.clone());
                }
                let (scope, around) = loader.flow_that_shares(frame, &key, &around)?;
                sharing.push((scope, around));
                Ok(())
            },
        )?;
        // A flow comes after those around it.
        for scope in (0..).map(ScopeIx).take(table.scopes.len()) {
            if frame.flow_inputs.contains(&scope) {
                continue;
            }
            // In a loop back to its start waits another state than the item that it started with.
            let own = item.take_if(|_| scope == ScopeIx::FLOW);
            let shared = sharing.iter().find(|(sharer, _)| *sharer == scope);
            let input = own.or_else(|| match shared {
                Some((_, around)) => frame.flow_inputs.get(around).cloned(),
                None => self.waiting_input(frame, scope),
            });
            if let Some(live) = input {
                Arc::make_mut(&mut frame.flow_inputs).insert(scope, live);
            }
        }
        check_inputs(frame)
    }

    fn put_input(
        &mut self,
        frame: &mut Frame,
        scope: ScopeIx,
        key: &str,
        live: Live,
    ) -> Loaded<()> {
        let table = Arc::clone(&frame.table);
        let around = enter(&mut self.at, sections::inputs, &key);
        let live = self.as_state(&table, table.scope(scope).entry, live)?;
        self.at.truncate(around);
        Arc::make_mut(&mut frame.flow_inputs).insert(scope, live);
        Ok(())
    }

    /// The input of a flow that has not made a step: it waits, and is stored as that alone. In another version a node may
    /// have come before the one for which it waits.
    fn waiting_input(&self, frame: &Frame, scope: ScopeIx) -> Option<Live> {
        if let Some(live) = frame.waiting_at_start(scope) {
            return Some(live.clone());
        }
        if !self.revalidates {
            return None;
        }
        let table = &frame.table;
        let entry = table.scope(scope).entry;
        // Of what a nested flow takes inside, its input alone has the name that it has in the flow around: a node that has
        // kept its name took the same.
        let waiting = frame.waiting().filter(|(place, _)| {
            let node = table.slot(place.slot).node;
            table.state_at(*place) == Some(entry) && table.is_within(node, scope)
        });
        let mut values = waiting.map(|(_, token)| &token.live);
        let first = values.next()?;
        values
            .all(|other| other.is_same(first))
            .then(|| first.clone())
    }

    /// The flow whose input is called so, if something waits in it.
    pub(super) fn flow_of_input(&self, frame: &Frame, key: &str) -> Loaded<ScopeIx> {
        let known = frame.table.scope_by_key.get(key).copied();
        let scope = known.ok_or_else(|| format!("`{key}` is not the input of a flow"))?;
        if self.revalidates && scope != ScopeIx::FLOW && !frame.is_running(scope) {
            return Err(format!("nothing waits in the flow of `{key}`").into());
        }
        Ok(scope)
    }

    /// The flow of this name, and that of the other, which is around it and starts with the same state.
    fn flow_that_shares(
        &self,
        frame: &Frame,
        key: &str,
        around: &str,
    ) -> Loaded<(ScopeIx, ScopeIx)> {
        let scope = self.flow_of_input(frame, key)?;
        if frame.flow_inputs.contains(&scope) {
            return Err(format!("the flow of `{key}` has an input of its own").into());
        }
        let table = &frame.table;
        let other = table.scope(scope).shares_entry_with;
        let other = other.filter(|other| *table.scope(*other).key == *around);
        let other = other.ok_or_else(|| format!("`{key}` and `{around}` are not one input"))?;
        Ok((scope, other))
    }
}

/// Fails where something waits in a flow whose input is not there, and a `catch` would hand it on or a node may ask
/// for it.
fn check_inputs(frame: &Frame) -> Loaded<()> {
    let table = &frame.table;
    for (scope, flow) in (0..).map(ScopeIx).zip(&table.scopes) {
        if frame.flow_inputs.contains(&scope) {
            continue;
        }
        let waiting: Vec<SlotIx> = frame.waiting_within(scope).collect();
        let Some(first) = waiting.first() else {
            continue;
        };
        let input = &flow.key;
        if flow.catch.is_some() {
            let node = table.node_id(table.slot(*first).node);
            return Err(format!(
                "`{node}` is in a flow with a `catch`, and the flow's input `{input}` is not there"
            )
            .into());
        }
        if let Some(reader) = table.reader_of_input(scope, waiting) {
            let (reader, state) = (table.node_id(reader), &flow.input);
            return Err(format!(
                "`{reader}` asks for `Input<{state}>`, and the flow's input `{input}` is not there"
            )
            .into());
        }
    }
    Ok(())
}
