//! The inputs of flows.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    super::{
        super::state::frame::Frame,
        collect::enter,
        map::Map,
        stored::{Key, Loaded, References, StoredState, sections},
    },
    Loader, OnError,
    starts::Unused,
};
use crate::{
    graph::{ScopeIx, SlotIx, Table},
    state::Live,
};

/// The inputs of flows, and which flows have that of another.
type StoredInputs<'a> = (Map<Key<'a>, StoredState<'a>>, References<'a>);

/// A flow, and the one around it whose input it shares.
type SharedInput = (ScopeIx, ScopeIx);

/// The inputs in a snapshot of another version.
#[derive(Default)]
struct Kept {
    values: BTreeMap<String, Live>,
    /// The flow that each other flow has its input from.
    references: BTreeMap<String, String>,
    unused: Vec<Unused>,
}

impl Kept {
    fn of(shared: &References<'_>) -> Self {
        let references = shared
            .iter()
            .map(|(key, around)| (key.to_string(), around.to_string()));
        Self {
            references: references.collect(),
            ..Self::default()
        }
    }
}

impl Loader<'_> {
    /// Takes over the inputs of flows. Those that still wait are not stored twice, nor is an item, which is in its list. One
    /// that a `catch` hands on, or that a node may ask for, has to be there.
    pub(super) fn inputs(
        &mut self,
        table: &Table,
        frame: &mut Frame,
        (stored, shared): StoredInputs<'_>,
        mut item: Option<Live>,
    ) -> Loaded<()> {
        let (sharing, unused) = match self.revalidates {
            false => (
                self.inputs_of_this_version(frame, stored, shared)?,
                Vec::new(),
            ),
            true => self.revalidated_inputs(frame, stored, shared)?,
        };
        // A flow comes after those around it.
        for scope in (0..).map(ScopeIx).take(table.scopes.len()) {
            if frame.flow_inputs.contains(&scope) {
                continue;
            }
            // After a loop back to the start, the state that waits there is not the item.
            let own = item.take_if(|_| scope == ScopeIx::FLOW);
            let shared = sharing.iter().find(|(sharer, _)| *sharer == scope);
            let input = own.or_else(|| match shared {
                Some((_, around)) => frame.flow_inputs.get(around).cloned(),
                None => self.waiting_input(frame, scope, &unused),
            });
            if let Some(live) = input {
                frame.flow_inputs.insert(scope, live);
            } else if self.has_lost_input(table, scope) && frame.is_running(scope) {
                frame.progress.unknown_inputs.insert(scope, ());
            }
        }
        self.check_inputs(frame)
    }

    /// Takes over the stored inputs, which all have to fit, and returns which flows share theirs.
    fn inputs_of_this_version(
        &self,
        frame: &mut Frame,
        stored: Map<Key<'_>, StoredState<'_>>,
        shared: References<'_>,
    ) -> Loaded<Vec<SharedInput>> {
        for (key, state) in stored {
            let scope = self.flow_of_input(frame, &key)?;
            frame.flow_inputs.insert(scope, state.into_live());
        }
        let shared = shared.into_iter();
        shared
            .map(|(key, around)| self.flow_that_shares(frame, &key, &around))
            .collect()
    }

    /// The same for a snapshot that may be of another version; also returns the inputs that no flow takes any more.
    // Not inlined: most loads are of this version, and do not read its code.
    #[inline(never)]
    fn revalidated_inputs(
        &mut self,
        frame: &mut Frame,
        stored: Map<Key<'_>, StoredState<'_>>,
        shared: References<'_>,
    ) -> Loaded<(Vec<SharedInput>, Vec<Unused>)> {
        let mut kept = Kept::of(&shared);
        for (key, state) in stored {
            let live = state.into_live();
            kept.values.insert(key.to_string(), live.clone());
            match self.flow_of_input(frame, &key) {
                Ok(scope) => self.put_input(frame, scope, &key, live)?,
                Err(why) => {
                    self.drop_entry(sections::inputs, &key, why);
                    kept.unused.push((key.into_owned(), live));
                }
            }
        }
        let mut sharing = Vec::new();
        self.section(
            (sections::shared_inputs, shared, OnError::Drop),
            |loader, key, around| {
                let why = match loader.flow_that_shares(frame, &key, &around) {
                    Ok(shares) => {
                        sharing.push(shares);
                        return Ok(());
                    }
                    Err(why) => why,
                };
                let Some(live) = loader.shared_value(frame, &kept, &around) else {
                    return Err(why);
                };
                match loader.flow_of_input(frame, &key) {
                    // The flow around it may start with something else now.
                    Ok(scope) if !frame.flow_inputs.contains(&scope) => {
                        loader.put_input(frame, scope, &key, live)
                    }
                    Ok(_) => Err(why),
                    Err(why) => {
                        kept.unused.push((key.into_owned(), live));
                        Err(why)
                    }
                }
            },
        )?;
        Ok((sharing, kept.unused))
    }

    /// The input that a flow has in common with the one around it whose input has this key.
    fn shared_value(&self, frame: &Frame, kept: &Kept, around: &str) -> Option<Live> {
        let mut key = around;
        // A chain of references is no longer than there are references.
        for _ in 0..=kept.references.len() {
            if let Some(live) = kept.values.get(key) {
                return Some(live.clone());
            }
            match kept.references.get(key) {
                Some(next) => key = next,
                None => break,
            }
        }
        self.waited_at_start(frame, key)
    }

    /// Keeps an input, as the type that the flow starts with now.
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
        frame.flow_inputs.insert(scope, live);
        Ok(())
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
    fn flow_that_shares(&self, frame: &Frame, key: &str, around: &str) -> Loaded<SharedInput> {
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

    /// Fails where something waits in a flow whose input is not there, and a `catch` would hand it on or a node may ask
    /// for it.
    fn check_inputs(&self, frame: &Frame) -> Loaded<()> {
        let table = &frame.table;
        for (scope, flow) in (0..).map(ScopeIx).zip(&table.scopes) {
            if frame.flow_inputs.contains(&scope) {
                continue;
            }
            let waiting: Vec<SlotIx> = frame.waiting_within(scope).collect();
            let Some(first) = waiting.first() else {
                continue;
            };
            let needed = match table.reader_of_input(scope, waiting.iter().copied()) {
                _ if flow.catch.is_some() => {
                    let node = table.node_id(table.slot(*first).node);
                    format!("`{node}` is in a flow with a `catch`")
                }
                Some(reader) => {
                    let (reader, state) = (table.node_id(reader), &flow.input);
                    format!("`{reader}` asks for `Input<{state}>`")
                }
                None => continue,
            };
            let missing = self.missing_input(frame, scope);
            return Err(format!("{needed}, and {missing}").into());
        }
        Ok(())
    }

    fn missing_input(&self, frame: &Frame, scope: ScopeIx) -> String {
        let input = &frame.table.scope(scope).key;
        if !self.may_wait(frame, scope) {
            return format!("the flow's input `{input}` is not there");
        }
        let hint = match self.known_starts() {
            None => ": `LoadOptions::with_version` may tell",
            Some(_) => "",
        };
        format!("nothing says which state is the flow's input `{input}`{hint}")
    }
}
